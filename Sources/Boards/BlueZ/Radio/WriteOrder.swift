/// Decides how the writes to a characteristic are sent so that none overtakes another.
///
/// The daemon takes commands without limit and sends them when it can, ahead of waiting requests.
/// So only one write is under way at a time, and after every eight commands one write is sent as a
/// request: its acknowledgement proves that the others have arrived.
struct WriteOrder: Hashable, Sendable {
  /// Commands between two requests.
  private static let commandsPerRequest = 8
  /// Retries of a write while the daemon performs another, and the seconds between them.
  private static let retries = 50
  static let retrySeconds = 0.01

  /// Whether the characteristic accepts requests, and whether it accepts commands.
  private let takesRequests: Bool
  private let takesCommands: Bool
  private var commands = 0
  private var refusals = 0

  /// The order for a characteristic with these flags.
  init(flags: Set<String>) {
    takesRequests = flags.contains("write")
    takesCommands = flags.contains("write-without-response")
  }

  /// Whether the next write is sent as a request.
  var isRequestNext: Bool {
    !takesCommands || (takesRequests && commands >= Self.commandsPerRequest)
  }

  /// Whether a write is sent as a request, given its caller's wish for an acknowledgement.
  func isRequest(_ acknowledged: Bool) -> Bool {
    isRequestNext || (acknowledged && takesRequests)
  }

  /// Notes that a write was accepted.
  mutating func wrote(asRequest: Bool) {
    commands = asRequest ? 0 : commands + 1
    refusals = 0
  }

  /// Notes that a write was refused; `true` if it is to be retried after `retrySeconds`.
  mutating func isOfferedAgain(after refusal: Refusal) -> Bool {
    guard refusal.kind == .underWay, refusals < Self.retries else {
      refusals = 0
      return false
    }
    refusals += 1
    return true
  }
}
