/// What the process tells its caller when it ends: few numbers, the same for every command.
public enum ExitStatus: Hashable, CaseIterable, Sendable {
  /// Done as asked.
  case ok
  /// Something went wrong while doing it.
  case failed
  /// The command line was not understood; nothing was opened.
  case usage
  /// No Bluetooth adapter, no Bluetooth service, or no permission to use them.
  case unavailable
  /// A board that was asked for did not show up.
  case boardNotFound
  /// Done, but some of the input made no sense, or some of a recording is missing.
  case notUnderstood
  /// Done, but a destination does not want some of what was sent.
  case parked
  /// A destination could not be sent to.
  case unreachable
  /// Ended by SIGINT, in order.
  case interrupted
  /// Ended by SIGTERM, in order.
  case terminated
  /// Whatever a program ended with that was run for the caller; not one of `allCases`.
  case ofProgram(Int32)

  /// Those with a meaning of their own, by number.
  public static let allCases: [ExitStatus] = [
    .ok, .failed, .usage, .unavailable, .boardNotFound, .notUnderstood, .parked, .unreachable,
    .interrupted, .terminated,
  ]

  /// The number.
  public var rawValue: Int32 {
    switch self {
    case .ok: 0
    case .failed: 1
    case .usage: 2
    case .unavailable: 3
    case .boardNotFound: 4
    case .notUnderstood: 5
    case .parked: 6
    case .unreachable: 7
    case .interrupted: 130
    case .terminated: 143
    case .ofProgram(let status): status
    }
  }

  /// The meaning in a few words, as the help and the manual page list it.
  public var meaning: String {
    switch self {
    case .ok: "done"
    case .failed: "failed; the reason is on standard error"
    case .usage: "the command line was not understood"
    case .unavailable: "no Bluetooth adapter, no Bluetooth service or no permission"
    case .boardNotFound: "board not found"
    case .notUnderstood: "some packets, lines or chunks were missing or not understood"
    case .parked: "a destination rejected some of the data"
    case .unreachable: "a destination could not be sent to"
    case .interrupted: "ended by an interrupt (SIGINT, Ctrl-C)"
    case .terminated: "ended by SIGTERM"
    case .ofProgram: "the exit status of a program"
    }
  }
}
