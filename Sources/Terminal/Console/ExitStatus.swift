/// The exit status of the process. All commands share a small set of values.
public enum ExitStatus: Hashable, CaseIterable, Sendable {
  case ok
  case failed
  /// The command line is invalid.
  case usage
  /// There is no Bluetooth adapter or Bluetooth service, or this user lacks permission to use it.
  case unavailable
  /// A requested board did not appear.
  case boardNotFound
  /// The task was completed, but some input was invalid, or part of a recording is missing.
  case notUnderstood
  /// The task was completed, but a destination rejected some of the data.
  case parked
  case unreachable
  /// SIGINT ended the command.
  case interrupted
  /// SIGTERM or SIGHUP ended the command.
  case terminated
  /// The exit status of a program that this process ran. Not listed in `allCases`.
  case ofProgram(Int32)

  /// The statuses with a fixed meaning, in numerical order.
  public static let allCases: [ExitStatus] = [
    .ok, .failed, .usage, .unavailable, .boardNotFound, .notUnderstood, .parked, .unreachable,
    .interrupted, .terminated,
  ]

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

  /// A short description of the status for the help and the manual page.
  public var meaning: String {
    switch self {
    case .ok: "done"
    case .failed: "failed; the reason is on standard error"
    case .usage: "the command line is invalid"
    case .unavailable: "no Bluetooth adapter, no Bluetooth service or no permission"
    case .boardNotFound: "board not found"
    case .notUnderstood: "some packets, lines or chunks were missing or invalid"
    case .parked: "a destination rejected some of the data"
    case .unreachable: "a destination could not be reached"
    case .interrupted: "interrupted by SIGINT (Ctrl-C)"
    case .terminated: "terminated by SIGTERM"
    case .ofProgram: "the exit status of a program"
    }
  }
}
