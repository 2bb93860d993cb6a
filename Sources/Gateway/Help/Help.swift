internal import LinuxSystem
internal import Values

/// Carries out and counts the recovery steps for a daemon's boards, adapters and receiver, across
/// all recordings. Callable from any thread.
final class Help: Sendable {
  private let held = Guarded(HelpCounts())
  private let ports: USBPorts
  private let log: @Sendable (LogEvent) -> Void

  init(_ ports: USBPorts, log: @escaping @Sendable (LogEvent) -> Void) {
    self.ports = ports
    self.log = log
  }

  var counts: HelpCounts { held.withLock { $0 } }

  // MARK: Steps of other components

  /// Counts a restart or a new setup of a board's sensors.
  func started(_ board: BoardAddress) {
    held.withLock { $0.boards[board, default: HelpCounts.Board()].starts += 1 }
  }

  /// Counts a lost link to a board, before the reconnection.
  func linked(_ board: BoardAddress) {
    held.withLock { $0.boards[board, default: HelpCounts.Board()].links += 1 }
  }

  /// Counts a power cycle of an adapter.
  func switched(adapter: String) {
    held.withLock { $0.adapters[adapter, default: HelpCounts.Device()].switches += 1 }
  }

  // MARK: USB ports

  enum PortOwner: Sendable {
    /// The port of the adapter with this name.
    case adapter(String)
    /// The port of the receiver on the serial line at this path.
    case receiver(String)
  }

  /// Returns whether a USB port can be reset. If not, the reason is logged and shown in the status.
  func canResetPort(of owner: PortOwner) -> Bool {
    switch device(of: owner) {
    case .success: return true
    case .failure(let refusal):
      note(refusal, of: owner)
      return false
    }
  }

  /// Resets a USB port. An adapter is off during the reset.
  func resetPort(of owner: PortOwner) async {
    switch device(of: owner) {
    case .success(let device):
      log(owner.event(.warning, "USB port is reset", ["port": device.node]))
      note(await ports.reset(device), of: owner)
    case .failure(let refusal): note(refusal, of: owner)
    }
  }

  private func device(of owner: PortOwner) -> Result<USBDevice, LiveStatus.Obstacle> {
    switch owner {
    case .adapter(let name): ports.device(ofAdapter: name)
    case .receiver(let path): ports.device(ofLine: path)
    }
  }

  /// Records the problem with a reset, or `nil` if the reset succeeded.
  private func note(_ problem: LiveStatus.Obstacle?, of owner: PortOwner) {
    let isNew = held.withLock { counts in
      defer {
        counts[owner].problem = problem
        if problem == nil { counts[owner].resets += 1 }
      }
      return problem != counts[owner].problem
    }
    guard let problem, isNew else { return }
    log(
      owner.event(
        .warning, "USB port not reset", ["reason": problem.text, "remedy": problem.remedy]))
  }
}

extension Help.PortOwner {
  fileprivate func event(
    _ severity: LogEvent.Severity, _ event: String, _ details: KeyValuePairs<String, String>
  ) -> LogEvent {
    var entry = LogEvent(severity, event, details)
    let own =
      switch self {
      case .adapter(let name): LogEvent.Detail("adapter", name)
      case .receiver(let path): LogEvent.Detail("receiver", path)
      }
    entry.details.insert(own, at: 0)
    return entry
  }
}

extension HelpCounts {
  fileprivate subscript(owner: Help.PortOwner) -> Device {
    get {
      switch owner {
      case .adapter(let name): adapters[name] ?? Device()
      case .receiver: receiver
      }
    }
    set {
      switch owner {
      case .adapter(let name): adapters[name] = newValue
      case .receiver: receiver = newValue
      }
    }
  }
}
