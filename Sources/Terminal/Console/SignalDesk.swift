internal import LinuxSystem
internal import Values

/// What a signal does: it asks the command that takes signals to end in order. Without one, and at
/// the second signal, the process ends at once.
final class SignalDesk: Sendable {
  private struct State: Sendable {
    var received: ExitStatus?
    /// When it came.
    var time = BootTime(nanoseconds: 0)
    /// Those who take signals: a command has one, and lets go of it when it ends.
    var takers = 0
    /// The one who gets the signals in place of the command.
    var relay: SignalRelay?
    /// Takes SIGHUP in place of an end, for a command that reads its configuration again.
    var reload: (@Sendable () -> Void)?
    /// What ends at the first signal. A command waits a few times, so those that are over stay.
    var waits: [AsyncStream<Never>.Continuation] = []
  }

  private let state = Guarded(State())

  /// How the process is to end for the first signal; `nil` before it.
  var received: ExitStatus? { state.withLock { $0.received } }

  /// Seconds in which the same signal twice is one: `timeout` signals a process and then its group.
  static let echoSeconds = 0.25

  /// Passes a signal to the command that takes them: whether there was one, and it was the first.
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

  /// Whether there is a relay, which has taken a signal by its number.
  func relay(_ number: Int32, fromTerminal: Bool) -> Bool {
    let relay = state.withLock { $0.relay }
    return relay?.take(number, fromTerminal: fromTerminal) ?? false
  }

  /// Has a command take SIGHUP, if one does. Returns whether one did.
  func reload() -> Bool {
    let reload = state.withLock { $0.reload }
    reload?()
    return reload != nil
  }

  /// Gives SIGHUP to a command from now on, or no longer.
  func giveReload(to reload: (@Sendable () -> Void)?) {
    state.withLock { $0.reload = reload }
  }

  /// Gives signals to a relay from now on, or no longer.
  func give(to relay: SignalRelay?) {
    state.withLock { $0.relay = relay }
  }

  /// Begins or ends to take signals.
  func take(_ takes: Bool) {
    state.withLock { $0.takers += takes ? 1 : -1 }
  }

  /// Waits for the first signal, if it has not come yet, or for the task to be cancelled.
  func wait() async {
    // A stream for each that waits: a cancelled task ends the stream that it reads, for everybody.
    let (arrival, end) = AsyncStream<Never>.makeStream()
    let isOver = state.withLock { state in
      if state.received == nil { state.waits.append(end) }
      return state.received != nil
    }
    if isOver { end.finish() }
    for await _ in arrival {}
  }
}
