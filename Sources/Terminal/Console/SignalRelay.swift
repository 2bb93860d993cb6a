public import LinuxSystem

/// Passes signals on to a program that this process runs on behalf of its caller. The program
/// decides how to react, and this process exits after the program.
public final class SignalRelay: Sendable {
  private struct State {
    var program: ChildProcess?
    /// The signal that arrived before the program was started; `nil` if no signal arrived.
    var early: Int32?
  }

  private let desk: SignalDesk
  private let state = Guarded(State())

  /// Receives the signals of the console until `end` is called.
  public init(_ console: Console) {
    desk = console.signals
    SignalWatch.ignoreQuit()
    desk.give(to: self)
  }

  /// The result of an attempt to start the program.
  public enum Start {
    case started(ChildProcess)
    /// The program was not started, because this signal arrived first.
    case prevented(Int32)
  }

  /// Starts a program, then passes signals on to it.
  public func start(_ body: () throws -> ChildProcess) rethrows -> Start {
    if let early = state.withLock(\.early) { return .prevented(early) }
    let program = try body()
    let late = state.withLock { state in
      state.program = program
      return state.early
    }
    // The signal arrived while the program was being started. If a terminal sent it, the program
    // may have received it too. If the program had no handler at that time, the signal has ended
    // the program, so passing it on has no effect.
    if let late { program.signal(late) }
    return .started(program)
  }

  public func end() {
    desk.give(to: nil)
  }

  /// Handles a signal. Returns `false` if the signal must end this process, because it is the
  /// second signal before the program was started.
  func take(_ number: Int32, fromTerminal: Bool) -> Bool {
    let (program, isTaken) = state.withLock { state -> (ChildProcess?, Bool) in
      if let program = state.program {
        // The program is in this process group, so it has already received a signal from the
        // terminal.
        return (fromTerminal ? nil : program, true)
      }
      defer { state.early = number }
      return (nil, state.early == nil)
    }
    program?.signal(number)
    return isTaken
  }
}
