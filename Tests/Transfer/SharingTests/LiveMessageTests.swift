import TestSupport
import Testing
import Values

@testable import Sharing

@Suite(.computation) struct LiveMessageTests {
  private let boot = BootTime(nanoseconds: 1_000_000_000_000)
  private let utc = UTCTime(nanoseconds: 1_795_000_000_000_000_000)

  private func arrival(
    after delay: Double = 0.1, isClockSynchronised: Bool = true, isDirect: Bool = true
  ) -> LiveMessage.Arrival {
    LiveMessage.Arrival(
      boot: boot, utc: UTCTime(nanoseconds: utc.nanoseconds + Int64(delay * 1e9)),
      isClockSynchronised: isClockSynchronised, isDirect: isDirect)
  }

  private func times(isClockSynchronised: Bool = true) -> LiveTimes {
    LiveTimes(sent: utc, validity: 60, isClockSynchronised: isClockSynchronised)
  }

  private let location = SharedLocation(
    time: UTCTime(nanoseconds: 1_794_999_999_000_000_000), latitude: 48.25431, longitude: 16.50127,
    accuracy: 4.5, speed: 1.25, course: 271, altitude: 180)

  private let status = SharedStatus(
    state: "recording", works: true, version: "0.1.0",
    boards: [
      .init(name: "left", state: "streaming", battery: 87), .init(name: "r", state: "idle"),
    ],
    session: .init(
      id: UniqueID(high: 1, low: 2), since: UTCTime(nanoseconds: 1_794_999_000_000_000_000)),
    waitingChunks: 3)

  @Test func `a message is parsed into its original values`() throws {
    let one = try LiveMessage(.location, location.payload(times()), at: arrival())
    #expect(one.content == .location(location) && one.times == times())
    let other = try LiveMessage(.status, status.payload(times()), at: arrival())
    #expect(other.content == .status(status))
  }

  @Test
  func `a position is rounded to at most two decimals, and its accuracy includes the rounding`()
    throws
  {
    let rounded = location.rounded
    let text = String(decoding: rounded.payload(times()), as: UTF8.self)
    #expect(
      text.contains(#""latitude":48.25,"longitude":16.5,"accuracy":794.5,"speed":1.3,"sharing""#))
    #expect(!text.contains("altitude") && !text.contains("course"))
    // Rounding never moves a position by more than the reported accuracy.
    for step in 0..<400 {
      let place = SharedLocation(
        time: utc, latitude: -89.9 + Double(step) * 0.4497, longitude: Double(step) * 0.7123 - 140)
      #expect(place.metres(to: place.rounded) <= SharedLocation.roundedAccuracy)
    }
    #expect(
      SharedLocation(time: utc, latitude: 0.001, longitude: 0.002).rounded.isPosition == false)
  }

  @Test(arguments: [
    ("not JSON", "notJSON"), ("[1]", "notJSON"), ("", "notJSON"), ("{\"format\":2}", "format"),
    ("latitude:91", "latitude"), ("latitude:\"48\"", "latitude"), ("latitude:null", "latitude"),
    ("longitude:181", "longitude"), ("longitude:NaN", "notJSON"), ("zero", "latitude"),
    ("accuracy:-1", "accuracy"), ("speed:1e9", "speed"), ("course:361", "course"),
    ("time:\"yesterday\"", "time"), ("sent:1", "sent"), ("sharing:\"all\"", "sharing"),
    ("clock_synchronised:1", "clock_synchronised"),
    ("expires:\"2001-01-01T00:00:00Z\"", "expires"),
    ("expires:\"2199-01-01T00:00:00Z\"", "expires"),
  ])
  func `a malformed or impossible location is rejected`(_ change: String, _ what: String) {
    var text = String(decoding: location.payload(times()), as: UTF8.self)
    if change == "zero" {
      text = text.replacing("48.25431", by: "0").replacing("16.50127", by: "0")
    } else if let colon = change.firstIndex(of: ":"), !change.hasPrefix("{") {
      // If two members have the same name, the last one is used.
      text.removeLast()
      text += ",\"\(change[..<colon])\"\(change[colon...])}"
    } else {
      text = change
    }
    let fault = #expect(throws: LiveFault.self) {
      try LiveMessage(.location, Array(text.utf8), at: arrival())
    }
    #expect(fault.map { "\($0)".contains(what) } == true, "\(String(describing: fault))")
  }

  @Test(arguments: [
    #""boards":7"#, #""boards":[7]"#, #""state":"a\u001b[2Jb""#, #""waiting_chunks":-1"#,
    #""session":"x""#, #""session":{"id":"x"}"#, #""version":7"#, #""works":"yes""#,
    #""boards":[{"name":"a","state":"b","battery":101}]"#, #""state":"a\u202eb""#,
  ])
  func `a status with an invalid field is rejected`(_ member: String) {
    var text = String(decoding: status.payload(times()), as: UTF8.self)
    text.removeLast()
    text += ",\(member)}"
    #expect(throws: LiveFault.self) { try LiveMessage(.status, Array(text.utf8), at: arrival()) }
  }

  @Test func `control characters are removed from board names, and long names are truncated`()
    throws
  {
    var odd = status
    odd.boards = [
      .init(name: "le\u{1b}[2Jft\n", state: "x"),
      .init(name: String(repeating: "ä", count: 500), state: "x"),
    ]
    let message = try LiveMessage(.status, odd.payload(times()), at: arrival())
    guard case .status(let read) = message.content else {
      Issue.record("the message is not a status")
      return
    }
    #expect(read.boards[0].name == "le[2Jft")
    #expect(read.boards[1].name.utf8.count <= 200)
  }

  @Test func `only a topic of four parts with valid names is accepted`() {
    #expect(LiveTopic("footbridge/s/g/status") == LiveTopic(fleet: "s", gateway: "g", .status))
    for text in [
      "footbridge/s/g", "footbridge/s/g/status/x", "footbridge/s//status", "other/s/g/status",
      "footbridge/s/g/session", "footbridge/s/a\u{1b}b/status", "/footbridge/s/g/status", "",
      "footbridge/s/\(String(repeating: "g", count: 65))/status",
    ] {
      #expect(LiveTopic(text) == nil, "\(text)")
    }
  }

  @Test func `if clocks are synchronised, a message becomes stale at the time stated in it`() throws
  {
    let payload = location.payload(times())
    for isDirect in [true, false] {
      let message = try LiveMessage(
        .location, payload, at: arrival(after: 20, isDirect: isDirect))
      #expect(message.deadline.seconds(since: boot) == 40)
      #expect(!message.hasDoubtfulClock && !message.isOfUnknownAge)
      #expect(message.age(at: boot) == 20)
    }
    let old = try LiveMessage(.location, payload, at: arrival(after: 1e6, isDirect: false))
    #expect(old.deadline < boot && !old.isOfUnknownAge)
  }

  @Test func `if a clock is off, a message's age is counted from its arrival or is unknown`() throws
  {
    let payload = location.payload(times())
    for delay in [-3e8, -60, 61, 3e8] {
      let message = try LiveMessage(.location, payload, at: arrival(after: delay))
      #expect(message.deadline.seconds(since: boot) == 60)
      #expect(message.hasDoubtfulClock && !message.isOfUnknownAge)
    }
    // The broker retained the message for an unknown time. Its age is unknown until enough time has
    // passed to make it stale in any case.
    for message in [
      try LiveMessage(.location, payload, at: arrival(after: -3e8, isDirect: false)),
      try LiveMessage(
        .location, location.payload(times(isClockSynchronised: false)),
        at: arrival(after: 1, isDirect: false)),
      try LiveMessage(
        .location, payload, at: arrival(after: 1, isClockSynchronised: false, isDirect: false)),
    ] {
      #expect(message.isOfUnknownAge && message.age(at: boot) == nil)
      #expect(LiveGateway.worth(of: message, at: boot) == .unknown)
      #expect(LiveGateway.worth(of: message, at: boot.advanced(bySeconds: 60)) == .stale)
    }
  }
}
