internal import LinuxSystem
internal import Values

/// Decides how the process reacts to signals. The first signal asks the command that handles
/// signals to shut down cleanly. A second signal ends the process at once. If no command handles
/// signals, the first signal ends the process.
final class SignalDesk: Sendable {
  private struct State: Sendable {
    var received: ExitStatus?
    /// The arrival time of the first signal.
    var time = BootTime(nanoseconds: 0)
    /// The exit status if a signal ends the process immediately; `nil` for the default status.
    var leaving: ExitStatus?
    /// The number of commands that handle signals: 1 while such a command runs, otherwise 0.
    var takers = 0
    /// The relay that receives the signals instead of the command.
    var relay: SignalRelay?
    /// Called on SIGHUP, for a command that reads its configuration again.
    var reload: (@Sendable () -> Void)?
    /// The streams on which tasks wait. The first signal ends all of them. Finished streams are not
    /// removed, because a command waits only a few times.
    var waits: [AsyncStream<Never>.Continuation] = []
  }

  private let state = Guarded(State())

  /// The exit status for the first signal; `nil` before it arrives.
  var received: ExitStatus? { state.withLock { $0.received } }

  /// Seconds within which a repeated signal counts as the same signal. For example, `timeout`
  /// signals a process and then its group.
  static let echoSeconds = 0.25

  /// Passes a signal to the command that handles signals. Returns whether there is such a command,
  /// and the signal was the first or repeated the first within `echoSeconds`.
  func deliver(_ status: ExitStatus, at now: BootTime) -> Bool {
    let waits = state.withLock { state -> [AsyncStream<Never>.Continuation]? in
      if let received = state.received {
        let isEcho = received == status && now.seconds(since: state.time) < Self.echoSeconds
        return isEcho && state.takers > 0 ? [] : nil
      }
      state.received = status
      state.time = now
      return state.takers > 0 ? state.waits : nil
    }
    for wait in waits ?? [] { wait.finish() }
    return waits != nil
  }

  var leaving: ExitStatus? { state.withLock { $0.leaving } }

  /// Sets the exit status for a signal that ends the process at once.
  func leave(with status: ExitStatus) {
    state.withLock { $0.leaving = status }
  }

  /// Passes a signal to the relay. Returns whether a relay exists and accepted the signal.
  func relay(_ number: Int32, fromTerminal: Bool) -> Bool {
    let relay = state.withLock { $0.relay }
    return relay?.take(number, fromTerminal: fromTerminal) ?? false
  }

  /// Passes SIGHUP to the command that handles it. Returns whether a command handles it.
  func reload() -> Bool {
    let reload = state.withLock { $0.reload }
    reload?()
    return reload != nil
  }

  /// Sets the handler for SIGHUP; `nil` removes it.
  func giveReload(to reload: (@Sendable () -> Void)?) {
    state.withLock { $0.reload = reload }
  }

  /// Sets the relay that receives signals; `nil` removes it.
  func give(to relay: SignalRelay?) {
    state.withLock { $0.relay = relay }
  }

  /// Registers or unregisters a command that handles signals.
  func take(_ takes: Bool) {
    state.withLock { $0.takers += takes ? 1 : -1 }
  }

  /// Waits until the first signal has arrived or the task is cancelled.
  func wait() async {
    // Each waiting task has its own stream, because cancelling a task ends its stream for all
    // readers.
    let (arrival, end) = AsyncStream<Never>.makeStream()
    let isOver = state.withLock { state in
      if state.received == nil { state.waits.append(end) }
      return state.received != nil
    }
    if isOver { end.finish() }
    for await _ in arrival {}
  }
}
