internal import LinuxSystem
internal import Values

/// When a person gave a request to the gateway, and until when it is wanted: on the boot clock,
/// which both programs share. A gateway that hung meanwhile then drops it, since its client has
/// left and reported that nothing was done.
struct RequestTimes: Hashable, Sendable {
  /// When it was given.
  var given: BootTime
  /// From when on it is not done any more.
  var until: BootTime

  /// Seconds after its end within which the gateway answers a request that it just began.
  private static let margin = 2.0

  /// A request that is given now, and wanted for so many seconds.
  init(seconds: Double) {
    given = BootClock.now()
    until = given.advanced(bySeconds: seconds)
  }

  /// Reads the members of a request; `nil` if they are not there, as from an earlier release.
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

  /// Whether the gateway has surely dropped what it did not begin.
  func isDropped(at now: BootTime) -> Bool { now.seconds(since: until) >= Self.margin }

  /// When it was given, for a note: never in the future, nor before the wait of a client.
  func noted(at now: BootTime) -> BootTime {
    max(min(given, now), now.advanced(bySeconds: -ErrandDesk.clientSeconds))
  }

  // MARK: Commands of one word

  /// Seconds for which such a command is wanted.
  static let commandSeconds = 3.0
  /// Seconds for which its client waits.
  static let commandPatience = commandSeconds + margin

  /// The answer to a request that is over.
  static let tooLate: JSONValue = [
    "error": "it came too late, and nothing was done", "remedy": "try again",
  ]

  /// A command with its times, as it is sent.
  func request(_ command: String) -> String { "\(command) \(JSONValue.object(members).text)" }

  /// Parts a request into the command and its times.
  static func parting(_ request: String) -> (command: String, times: RequestTimes?) {
    guard let end = request.firstIndex(of: "{"), request[..<end].last == " ",
      let value = try? JSON(parsing: Array(request[end...].utf8)),
      let times = RequestTimes(value)
    else { return (request, nil) }
    return (String(request[..<end].dropLast()), times)
  }
}
