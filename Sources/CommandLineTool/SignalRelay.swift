internal import LinuxSystem

/// Passes signals on to a program that is run for our caller. That program decides how to react to
/// them, and we end when it has ended.
final class SignalRelay: Sendable {
  private struct State {
    var program: ChildProcess?
    /// The signal that came before the program was there.
    var early: Int32?
  }

  private let desk: SignalDesk
  private let state = Guarded(State())

  /// Takes the signals of the console's terminal from now on, until `end`.
  init(_ console: Console) {
    desk = console.signals
    SignalWatch.ignoreQuit()
    desk.give(to: self)
  }

  /// The signal that has come before there was a program to pass it to.
  var early: Int32? { state.withLock { $0.early } }

  /// Passes signals on to this program from now on.
  func pass(to program: ChildProcess) {
    let early = state.withLock { state in
      state.program = program
      return state.early
    }
    // It came while the program was being started.
    if let early { program.signal(early) }
  }

  /// Takes no more signals.
  func end() {
    desk.give(to: nil)
  }

  /// Takes a signal; false if it has to end us, as a second one does before there is a program.
  func take(_ number: Int32, fromTerminal: Bool) -> Bool {
    let (program, isTaken) = state.withLock { state -> (ChildProcess?, Bool) in
      guard state.program == nil else { return (state.program, true) }
      defer { state.early = number }
      return (nil, state.early == nil)
    }
    // The program is in our process group, and has got what a terminal sends.
    if !fromTerminal { program?.signal(number) }
    return isTaken
  }
}
