/// What the process tells its caller when it ends: few numbers, the same for every command.
public enum ExitStatus: Int32, CaseIterable, Sendable {
  /// Done as asked.
  case ok = 0
  /// Something went wrong while doing it.
  case failed = 1
  /// The command line was not understood; nothing was opened.
  case usage = 2
  /// No Bluetooth adapter, no Bluetooth service, or no permission to use them.
  case unavailable = 3
  /// A board that was asked for did not show up.
  case boardNotFound = 4
  /// Done, but some of the input made no sense, or some of a recording is missing.
  case notUnderstood = 5
  /// Done, but a destination does not want some of what was sent.
  case parked = 6
  /// A destination could not be sent to.
  case unreachable = 7
  /// Ended by SIGINT, in order.
  case interrupted = 130
  /// Ended by SIGTERM, in order.
  case terminated = 143

  /// The meaning in a few words, as the help and the manual page list it.
  public var meaning: String {
    switch self {
    case .ok: "done"
    case .failed: "failed; the reason is on standard error"
    case .usage: "the command line was not understood"
    case .unavailable: "no Bluetooth adapter, no Bluetooth service or no permission"
    case .boardNotFound: "board not found"
    case .notUnderstood: "some packets, lines or chunks were missing or not understood"
    case .parked: "a destination does not want some of what was sent"
    case .unreachable: "a destination could not be sent to"
    case .interrupted: "ended by an interrupt (SIGINT, Ctrl-C)"
    case .terminated: "ended by SIGTERM"
    }
  }
}
