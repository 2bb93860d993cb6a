/// Decides how each write to a characteristic is sent, so that no write overtakes an earlier one.
///
/// The daemon queues any number of commands and sends them when it can, even ahead of earlier
/// requests. Therefore, only one write is in progress at a time. After every eight commands, one
/// write is sent as a request, whose acknowledgement proves that the commands have arrived.
struct WriteOrder: Hashable, Sendable {
  /// Number of commands sent between requests.
  private static let commandsPerRequest = 8
  /// Maximum number of retries if the daemon refuses a write because another one is in progress.
  /// `retrySeconds` is the time between two attempts.
  private static let retries = 50
  static let retrySeconds = 0.01

  /// Whether the characteristic accepts requests. `takesCommands` is the equivalent for commands.
  private let takesRequests: Bool
  private let takesCommands: Bool
  private var commands = 0
  private var refusals = 0

  init(flags: Set<String>) {
    takesRequests = flags.contains("write")
    takesCommands = flags.contains("write-without-response")
  }

  /// Whether the next write must be sent as a request.
  var isRequestNext: Bool {
    !takesCommands || (takesRequests && commands >= Self.commandsPerRequest)
  }

  /// Returns whether to send a write as a request. `acknowledged` indicates whether the caller
  /// wants an acknowledgement.
  func isRequest(_ acknowledged: Bool) -> Bool {
    isRequestNext || (acknowledged && takesRequests)
  }

  /// Records that the daemon accepted a write.
  mutating func wrote(asRequest: Bool) {
    commands = asRequest ? 0 : commands + 1
    refusals = 0
  }

  /// Records that the daemon refused a write. Returns `true` if the write must be retried after
  /// `retrySeconds`.
  mutating func isOfferedAgain(after refusal: Refusal) -> Bool {
    guard refusal.kind == .underWay, refusals < Self.retries else {
      refusals = 0
      return false
    }
    refusals += 1
    return true
  }
}
