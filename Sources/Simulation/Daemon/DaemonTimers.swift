/// The simulated daemon's scheduled actions, in chronological order.
struct DaemonTimers {
  enum Action {
    /// Act on a device's link, unless the link's generation has changed.
    case link(LinkAction, device: Int, generation: Int)
    case fault(ScheduledDaemonFault)
    case daemonReturns

    /// Whether the action is kept even if the daemon exits before the action is due.
    var outlivesDaemon: Bool {
      switch self {
      case .fault, .daemonReturns: true
      case .link: false
      }
    }
  }

  enum LinkAction {
    /// The link is established.
    case up
    case fail(DaemonError)
    case resolve
    /// Delayed objects appear.
    case showObjects
    case showBattery
    /// The grace period of a disconnect ends.
    case disconnect
    /// Pairing ends, successfully or not.
    case pair
    /// The board's response to a request arrives.
    case finish(DaemonCall, GATTOperation)
  }

  private var pending: [(time: Double, action: Action)] = []

  mutating func add(_ action: Action, at time: Double) {
    let place = pending.firstIndex { $0.time > time } ?? pending.endIndex
    pending.insert((time, action), at: place)
  }

  /// The time of the earliest action.
  var next: Double? { pending.first?.time }

  mutating func takeDue(_ now: Double) -> Action? {
    guard let first = pending.first, first.time <= now else { return nil }
    return pending.removeFirst().action
  }

  /// Drops the daemon's own actions when the daemon exits.
  mutating func forgetDaemon() {
    pending.removeAll { !$0.action.outlivesDaemon }
  }
}

/// A request to a board over its link.
enum GATTOperation {
  case read(GATTTable.Attribute)
  case write([UInt8])
  case acquireNotify
  case startNotify
  case stopNotify
}
