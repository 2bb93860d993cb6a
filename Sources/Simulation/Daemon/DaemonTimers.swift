/// What the simulated daemon does later, in order of time.
struct DaemonTimers {
  /// Something to do.
  enum Action {
    /// For a device, if its link is still of this generation.
    case link(LinkAction, device: Int, generation: Int)
    /// A call is answered; what it asks for is done.
    case answer(DaemonCall)
    /// A fault happens.
    case fault(ScheduledDaemonFault)
    /// The daemon comes back.
    case daemonReturns

    /// Whether it happens also when the daemon was gone meanwhile.
    var outlivesDaemon: Bool {
      switch self {
      case .fault, .daemonReturns: true
      case .link, .answer: false
      }
    }
  }

  /// Something to do for a link.
  enum LinkAction {
    /// The link comes up.
    case up
    /// The attempt fails.
    case fail(DaemonError)
    /// Its services are resolved.
    case resolve
    /// Objects that stayed away come.
    case showObjects
    /// The battery was read.
    case showBattery
    /// The grace time of a disconnect is over.
    case disconnect
    /// Pairing ends, well or not.
    case pair
    /// The board's answer to a request is here.
    case finish(DaemonCall, GATTOperation)
  }

  private var pending: [(time: Double, action: Action)] = []

  mutating func add(_ action: Action, at time: Double) {
    let place = pending.firstIndex { $0.time > time } ?? pending.endIndex
    pending.insert((time, action), at: place)
  }

  /// The earliest time at which something is to be done.
  var next: Double? { pending.first?.time }

  /// The next action that is due.
  mutating func takeDue(_ now: Double) -> Action? {
    guard let first = pending.first, first.time <= now else { return nil }
    return pending.removeFirst().action
  }

  /// Forgets what the daemon itself was to do, as when it ends.
  mutating func forgetDaemon() {
    pending.removeAll { !$0.action.outlivesDaemon }
  }
}

/// What is asked of a board over its link.
enum GATTOperation {
  case read(GATTTable.Attribute)
  case write([UInt8])
  case acquireNotify
  case startNotify
  case stopNotify
}
