internal import LinuxSystem
internal import Values

/// The effect of signals: the first one asks the command that takes signals to end in order.
/// Without such a command, and at the second signal, the process ends at once.
final class SignalDesk: Sendable {
  private struct State: Sendable {
    var received: ExitStatus?
    /// The time of the first signal.
    var time = BootTime(nanoseconds: 0)
    /// The number of commands that take signals: one, until it ends.
    var takers = 0
    /// The relay that receives the signals in place of the command.
    var relay: SignalRelay?
    /// Takes SIGHUP instead of ending, for a command that reads its configuration again.
    var reload: (@Sendable () -> Void)?
    /// The streams that end at the first signal. A command waits only a few times, so finished ones
    /// stay.
    var waits: [AsyncStream<Never>.Continuation] = []
  }

  private let state = Guarded(State())

  /// The exit status for the first signal; `nil` before it.
  var received: ExitStatus? { state.withLock { $0.received } }

  /// Seconds in which a repeated signal counts as one: `timeout` signals a process and then its
  /// group.
  static let echoSeconds = 0.25

  /// Passes a signal to the command that takes signals. Returns whether there was one, and the
  /// signal was the first.
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

  /// Gives a signal to the relay. Returns whether there was one that took it.
  func relay(_ number: Int32, fromTerminal: Bool) -> Bool {
    let relay = state.withLock { $0.relay }
    return relay?.take(number, fromTerminal: fromTerminal) ?? false
  }

  /// Gives SIGHUP to a command. Returns whether one took it.
  func reload() -> Bool {
    let reload = state.withLock { $0.reload }
    reload?()
    return reload != nil
  }

  /// Gives SIGHUP to this command from now on; `nil` to stop.
  func giveReload(to reload: (@Sendable () -> Void)?) {
    state.withLock { $0.reload = reload }
  }

  /// Gives signals to this relay from now on; `nil` to stop.
  func give(to relay: SignalRelay?) {
    state.withLock { $0.relay = relay }
  }

  /// Starts or stops taking signals.
  func take(_ takes: Bool) {
    state.withLock { $0.takers += takes ? 1 : -1 }
  }

  /// Waits for the first signal, if it has not arrived yet, or for the task to be cancelled.
  func wait() async {
    // Each waiting task has its own stream: a cancelled task ends the stream it reads, for all its
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
