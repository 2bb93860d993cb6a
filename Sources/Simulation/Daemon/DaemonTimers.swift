/// The simulated daemon's scheduled actions, in order of time.
struct DaemonTimers {
  /// A scheduled action.
  enum Action {
    /// An action for a device, if its link is still of this generation.
    case link(LinkAction, device: Int, generation: Int)
    /// The answer to a call that is already carried out.
    case answer(DaemonCall)
    /// A fault happens.
    case fault(ScheduledDaemonFault)
    /// The daemon comes back.
    case daemonReturns

    /// Whether the action happens even if the daemon was absent meanwhile.
    var outlivesDaemon: Bool {
      switch self {
      case .fault, .daemonReturns: true
      case .link, .answer: false
      }
    }
  }

  enum LinkAction {
    /// The link comes up.
    case up
    /// The attempt fails.
    case fail(DaemonError)
    /// Its services are resolved.
    case resolve
    /// Delayed objects appear.
    case showObjects
    /// The battery has been read.
    case showBattery
    /// The grace time of a disconnect ends.
    case disconnect
    /// Pairing ends, successfully or not.
    case pair
    /// The board's answer to a request arrives.
    case finish(DaemonCall, GATTOperation)
  }

  private var pending: [(time: Double, action: Action)] = []

  mutating func add(_ action: Action, at time: Double) {
    let place = pending.firstIndex { $0.time > time } ?? pending.endIndex
    pending.insert((time, action), at: place)
  }

  /// The earliest time of an action.
  var next: Double? { pending.first?.time }

  /// The next action that is due.
  mutating func takeDue(_ now: Double) -> Action? {
    guard let first = pending.first, first.time <= now else { return nil }
    return pending.removeFirst().action
  }

  /// Drops the daemon's own actions, as when it ends.
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
