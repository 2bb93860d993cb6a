public import LinuxSystem

/// Passes signals on to a program that runs for our caller. That program decides how to react, and
/// we end when it has ended.
public final class SignalRelay: Sendable {
  private struct State {
    var program: ChildProcess?
    /// The signal that arrived before the program was known.
    var early: Int32?
  }

  private let desk: SignalDesk
  private let state = Guarded(State())

  /// Takes the signals of the console's terminal from now on, until `end`.
  public init(_ console: Console) {
    desk = console.signals
    SignalWatch.ignoreQuit()
    desk.give(to: self)
  }

  /// The outcome of a start.
  public enum Start {
    case started(ChildProcess)
    /// This signal arrived first, so no program was started.
    case prevented(Int32)
  }

  /// Starts a program, and passes signals on to it from now on.
  public func start(_ body: () throws -> ChildProcess) rethrows -> Start {
    if let early = state.withLock(\.early) { return .prevented(early) }
    let program = try body()
    let late = state.withLock { state in
      state.program = program
      return state.early
    }
    // It arrived while the program was being started. If a terminal sent it, the program may have
    // it already. It had no handler then, and has ended: the second signal changes nothing.
    if let late { program.signal(late) }
    return .started(program)
  }

  public func end() {
    desk.give(to: nil)
  }

  /// Takes a signal. Returns false if it must end us, as a second one does before there is a
  /// program.
  func take(_ number: Int32, fromTerminal: Bool) -> Bool {
    let (program, isTaken) = state.withLock { state -> (ChildProcess?, Bool) in
      if let program = state.program {
        // The program is in our process group, and has received the signals of a terminal.
        return (fromTerminal ? nil : program, true)
      }
      defer { state.early = number }
      return (nil, state.early == nil)
    }
    program?.signal(number)
    return isTaken
  }
}
