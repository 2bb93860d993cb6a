internal import LinuxSystem
internal import Values

/// The time at which a person gave a request to the gateway, and its deadline: on the boot clock,
/// which both programs share. A gateway that hung in between drops a late request, since its client
/// has left and reported that nothing was done.
struct RequestTimes: Hashable, Sendable {
  var given: BootTime
  /// The deadline, from which it is dropped.
  var until: BootTime

  /// Seconds after its end within which the gateway answers a request that it just began.
  private static let margin = 2.0

  /// A request that is given now, with a timeout in seconds.
  init(seconds: Double) {
    given = BootClock.now()
    until = given.advanced(bySeconds: seconds)
  }

  /// Reads the members of a request; `nil` if they are missing, as from an earlier release.
  init?(_ value: JSON) {
    guard let given = value["given_ns"]?.integer, let until = value["until_ns"]?.integer else {
      return nil
    }
    self.given = BootTime(nanoseconds: Int64(given))
    self.until = BootTime(nanoseconds: Int64(until))
  }

  /// The members as they are sent.
  var members: [JSONValue.Member] {
    [
      .init("given_ns", given.nanoseconds), .init("until_ns", until.nanoseconds),
    ]
  }

  /// Whether the gateway drops it.
  func isOver(at now: BootTime) -> Bool { now >= until }

  /// Whether the gateway has certainly dropped a request that it had not begun.
  func isDropped(at now: BootTime) -> Bool { now.seconds(since: until) >= Self.margin }

  /// The time for a note: never in the future, nor before the wait of a client.
  func noted(at now: BootTime) -> BootTime {
    max(min(given, now), now.advanced(bySeconds: -ErrandDesk.clientSeconds))
  }

  // MARK: Commands of one word

  /// Timeout of such a command, in seconds.
  static let commandSeconds = 3.0
  /// Seconds for which its client waits.
  static let commandPatience = commandSeconds + margin

  /// The answer to a request that is over.
  static let tooLate: JSONValue = [
    "error": "it came too late, and nothing was done", "remedy": "try again",
  ]

  /// A command with its times, as it is sent.
  func request(_ command: String) -> String { "\(command) \(JSONValue.object(members).text)" }

  /// Splits a request into the command and its times.
  static func parting(_ request: String) -> (command: String, times: RequestTimes?) {
    guard let end = request.firstIndex(of: "{"), request[..<end].last == " ",
      let value = try? JSON(parsing: Array(request[end...].utf8)),
      let times = RequestTimes(value)
    else { return (request, nil) }
    return (String(request[..<end].dropLast()), times)
  }
}
