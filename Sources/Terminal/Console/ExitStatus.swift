/// The exit status of the process: few numbers, the same for every command.
public enum ExitStatus: Hashable, CaseIterable, Sendable {
  /// Done as asked.
  case ok
  /// The task failed.
  case failed
  /// The command line was not understood; nothing was opened.
  case usage
  /// No Bluetooth adapter, no Bluetooth service, or no permission to use them.
  case unavailable
  /// A requested board did not appear.
  case boardNotFound
  /// Done, but some input was not understood, or some of a recording is missing.
  case notUnderstood
  /// Done, but a destination rejected some of the data.
  case parked
  /// A destination could not be reached.
  case unreachable
  /// Ended by SIGINT, in order.
  case interrupted
  /// Ended by SIGTERM, in order.
  case terminated
  /// The exit status of a program that was run for the caller; not one of `allCases`.
  case ofProgram(Int32)

  /// The statuses with a meaning of their own, by number.
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

  /// The meaning in a few words, for the help and the manual page.
  public var meaning: String {
    switch self {
    case .ok: "done"
    case .failed: "failed; the reason is on standard error"
    case .usage: "the command line was not understood"
    case .unavailable: "no Bluetooth adapter, no Bluetooth service or no permission"
    case .boardNotFound: "board not found"
    case .notUnderstood: "some packets, lines or chunks were missing or not understood"
    case .parked: "a destination rejected some of the data"
    case .unreachable: "a destination could not be reached"
    case .interrupted: "ended by an interrupt (SIGINT, Ctrl-C)"
    case .terminated: "ended by SIGTERM"
    case .ofProgram: "the exit status of a program"
    }
  }
}
