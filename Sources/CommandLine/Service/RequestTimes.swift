internal import LinuxSystem
internal import Values

/// The time at which a user made a request to the gateway, and the request's deadline. Both are on
/// the boot clock, which client and gateway share. A gateway that was blocked drops late requests,
/// because the client has already reported that nothing was done.
struct RequestTimes: Hashable, Sendable {
  var given: BootTime
  /// The deadline, after which the gateway drops the request.
  var until: BootTime

  /// Seconds that the gateway may take after the deadline to complete a request that it began
  /// before the deadline.
  private static let margin = 2.0

  /// Creates the times for a request that is made now and times out after `seconds`.
  init(seconds: Double) {
    given = BootClock.now()
    until = given.advanced(bySeconds: seconds)
  }

  /// Parses the times from a request's members. Returns `nil` if they are missing, as in requests
  /// from an earlier release.
  init?(_ value: JSON) {
    guard let given = value["given_ns"]?.integer, let until = value["until_ns"]?.integer else {
      return nil
    }
    self.given = BootTime(nanoseconds: Int64(given))
    self.until = BootTime(nanoseconds: Int64(until))
  }

  var members: [JSONValue.Member] {
    [
      .init("given_ns", given.nanoseconds), .init("until_ns", until.nanoseconds),
    ]
  }

  /// Returns whether the deadline has passed. If so, the gateway drops the request.
  func isOver(at now: BootTime) -> Bool { now >= until }

  /// Returns whether a client can now be certain that the gateway has either dropped the request or
  /// begun to process it before the deadline.
  func isDropped(at now: BootTime) -> Bool { now.seconds(since: until) >= Self.margin }

  /// Returns the request's time, limited to the range from `now` minus the client's timeout to
  /// `now`. This time is stored with a note.
  func noted(at now: BootTime) -> BootTime {
    max(min(given, now), now.advanced(bySeconds: -ErrandDesk.clientSeconds))
  }

  // MARK: One-word commands

  /// The timeout in seconds for one-word commands.
  static let commandSeconds = 3.0
  /// Seconds that a client waits for the response to a one-word command.
  static let commandPatience = commandSeconds + margin

  /// The response to a request that arrives after its deadline.
  static let tooLate: JSONValue = [
    "error": "the request arrived too late, and nothing was done", "remedy": "try again",
  ]

  /// Returns a request that consists of a command, these times and the additional members
  /// `further`.
  func request(_ command: String, _ further: [JSONValue.Member] = []) -> String {
    "\(command) \(JSONValue.object(members + further).text)"
  }

  /// Splits a request into the command, the times and all its members.
  static func parting(
    _ request: String
  ) -> (command: String, times: RequestTimes?, members: JSON) {
    guard let end = request.firstIndex(of: "{"), request[..<end].last == " ",
      let value = try? JSON(parsing: Array(request[end...].utf8)),
      let times = RequestTimes(value)
    else { return (request, nil, .null) }
    return (String(request[..<end].dropLast()), times, value)
  }
}
