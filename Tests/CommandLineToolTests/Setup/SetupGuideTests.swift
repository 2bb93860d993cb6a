import BoardDriver
import Foundation
import Gateway
import LinuxSystem
import MetaWearProtocol
import Positioning
import TestSupport
import Testing
import Upload
import Values

@testable import CommandLineTool
@testable import Terminal

/// The questions that setup asks, answered in advance by the test.
@Suite(.computation) struct SetupGuideTests {
  private static let left = BoardAddress(value: 0xc84b_aa97_5005)
  private static let right = BoardAddress(value: 0xc84b_aa98_5108)

  /// The simulated computer on which setup runs.
  private struct Surroundings: SetupSurroundings {
    var adapterCount = 1
    var heard = [left, right]
    var silent: Set<BoardAddress> = []
    var known: [String] = []
    var setback: Setback?
    var plugged = ["/dev/gps0"]

    func adapters() async throws -> [SetupAdapter] {
      (0..<adapterCount).map {
        SetupAdapter(address: BoardAddress(value: UInt64($0 + 1)), name: "hci\($0)", isOn: true)
      }
    }
    func boards(_ adapters: [BoardAddress]) async throws -> [Sighting] {
      heard.map { Sighting(address: $0, kind: .board, name: "MetaWear", rssi: -50) }
    }
    func meet(_ board: BoardAddress, _ adapters: [BoardAddress]) async throws -> SetupBoard {
      if silent.contains(board) { throw BoardFailure("it sleeps", remedy: "press its button") }
      return SetupBoard(model: .metaMotionRL, battery: 80, blinks: true)
    }
    func ports() async -> [String] { plugged }
    func pins() async -> [String] { ["/dev/serial0"] }
    func obstacle(of source: PositionSource) async -> ReceiverProblem? {
      source.description.hasPrefix("/etc/")
        ? ReceiverProblem("it is not a serial port", reason: "none", remedy: "name a port") : nil
    }
    func troubles(of source: PositionSource) async -> [Finding] {
      source.description == "/dev/gone"
        ? [.fault(.receiver, "there is no receiver", remedy: "plug it in")] : []
    }
    func destinations(in store: String) async -> [String] { known }
    func obstacle(to destination: NewDestination, _ store: String) async throws -> Setback? {
      setback
    }
  }

  /// Gives prepared answers, and records the questions and lines shown.
  private final class Script: Sendable {
    private let answers: Guarded<[String]>
    private let told = Guarded<[String]>([])

    init(_ answers: [String]) { self.answers = Guarded(answers) }

    var text: String { told.withLock { $0.joined(separator: "\n") } }
    var isUsedUp: Bool { answers.withLock { $0.isEmpty } }

    var people: Questioner {
      Questioner(
        read: { question in
          self.told.withLock { $0.append("? " + question) }
          return self.answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }, tell: { lines in self.told.withLock { $0 += lines } })
    }
  }

  private static let folder = FileManager.default.temporaryDirectory.path

  private static var fresh: GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.store = folder + "/nothing-here/recording.sqlite"
    return configuration
  }

  private func guide(
    _ answers: [String], _ surroundings: Surroundings = Surroundings(),
    from present: GatewayConfiguration = fresh, options: SetupAnswers = SetupAnswers()
  ) async throws -> (guide: SetupGuide, script: Script) {
    let script = Script(answers)
    var guide = try SetupGuide(options, from: present, surroundings, script.people)
    try await guide.run()
    #expect(script.isUsedUp, "\(script.text)")
    return (guide, script)
  }

  @Test func `empty answers select every board in range, both motion sensors and the receiver`()
    async throws
  {
    let (guide, script) = try await guide([
      "", "", "left", "left ankle", "yes", "", "", "", "", "", "", "",
    ])
    let configuration = guide.configuration
    #expect(configuration.boards.map(\.name) == ["left", "right"])
    #expect(configuration.boards.map(\.address) == [Self.left, Self.right])
    #expect(configuration.boards.map(\.placement) == ["left ankle", nil])
    #expect(configuration.recording.sensors == RecordingPlan.gait)
    #expect(configuration.recording.receiver?.description == "/dev/gps0")
    #expect(configuration.destinations.isEmpty && configuration.uploads == .always)
    #expect(configuration.rule.time == .always)
    #expect(script.text.contains("MetaMotion RL, battery 80 %. The board blinks green"))
    // The forecast uses the models that were found, and their battery charge.
    #expect(script.text.contains("left   MetaMotion RL  ~8.6 mA  80 %"), "\(script.text)")
  }

  @Test func `the port on the GPIO pins is offered, but used only if the user names it`()
    async throws
  {
    let answers = Array(repeating: "", count: 12)
    let (guide, script) = try await guide(answers, Surroundings(plugged: []))
    #expect(guide.configuration.recording.receiver == nil)
    #expect(
      script.text.contains(
        "Receiver: none is plugged in.\nIf one is connected to the pins: /dev/serial0\n"),
      "\(script.text)")
  }

  @Test func `setup repeats a question after an invalid answer, with advice`() async throws {
    let (guide, script) = try await guide(
      [
        "3", "1 1", "2", "perhaps", "yes", "-x", "right", "; x", "",  // boards
        "acceleration@", "pressure", "acceleration@50", "no", "acceleration@25", "",  // sensors
        "/etc/passwd", "/dev/gone", "no", "none",  // receiver
        "somewhere", "none",  // destinations
        "often", "hours", "7-8", "07:00-19:00",  // time
      ])
    let configuration = guide.configuration
    #expect(configuration.boards.map(\.name) == ["right"])
    #expect(configuration.recording.sensors == [SensorRequest(signal: "acceleration", rate: 25)])
    #expect(configuration.recording.receiver == nil && newDestinationIsNone(guide))
    #expect(configuration.rule.hours?.description == "07:00-19:00")
    #expect(script.text.contains("it is not a serial port\n  name a port"))
    #expect(script.text.contains("answer yes or no"))
    #expect(script.text.contains("the board has no sensor for pressure"))
    #expect(script.text.contains("there is no receiver\n  plug it in"))
  }

  private func newDestinationIsNone(_ guide: SetupGuide) -> Bool { guide.newDestination == nil }

  @Test func `setup repeats its question after a name that the configuration file cannot contain`()
    async throws
  {
    let (guide, script) = try await guide([
      "1", "yes", "a]b", "left ; x", "[left", "; x", "'left'", "a ; b", "left \u{1b}", "heel",
      "", "", "", "", "",
    ])
    let board = try #require(guide.configuration.boards.first)
    #expect(board.name == "[left" && board.placement == "heel", "\(script.text)")
    #expect(script.text.contains("no ']' and no space before a ';'"), "\(script.text)")
    #expect(script.text.contains("remove ' ;' and any leading or trailing"), "\(script.text)")
    #expect(script.text.contains("the value of 'placement' is in quotes\n  remove the quotes"))
  }

  @Test
  func `'no destination' is accepted as an answer, even if no destination has been added yet`()
    async throws
  {
    let (asked, script) = try await guide(["1", "", "", "", "", "", "", "none", ""])
    #expect(asked.configuration.destinations.isEmpty)
    #expect(asked.configuration.uploads == .never, "\(script.text)")
    #expect(
      ConfigurationSummary.text(asked.configuration).hasSuffix("uploads nothing"))
    for (word, time) in [("none", DaemonPlan.Uploads.never), ("all", .always)] {
      var options = SetupAnswers()
      options.destinations = [word]
      let given = try options.applied(to: Self.fresh)
      #expect(given.destinations.isEmpty && given.uploads == time)
      options.destinations.append("study")
      #expect(throws: Complaint.self) { try options.applied(to: Self.fresh) }
    }
  }

  @Test func `options that name a missing receiver or destination are reported and accepted`()
    async throws
  {
    var options = SetupAnswers()
    options.boards = ["left=C8:4B:AA:97:50:05"]
    options.destinations = ["clinic", "study"]
    options.receiver = PositionSource("/dev/gone")
    var guide = try SetupGuide(options, from: Self.fresh, Surroundings(known: ["Study"]), nil)
    try await guide.run()
    #expect(guide.doubts.map(\.event) == ["receiver not verified", "unknown destination"])
    #expect(guide.doubts[1].reason.hasSuffix("has no 'clinic'"))
    options.receiver = PositionSource("/etc/passwd")
    var refused = try SetupGuide(options, from: Self.fresh, Surroundings(), nil)
    await #expect(throws: Complaint("it is not a serial port", remedy: "name a port")) {
      try await refused.run()
    }
  }

  @Test func `setup offers to record only while someone walks, but not without an accelerometer`()
    async throws
  {
    let (guide, script) = try await guide([
      "1", "", "", "", "angular_velocity@50", "", "", "", "walking", "always",
    ])
    #expect(guide.configuration.rule.time == .always)
    #expect(script.text.contains("while someone walks"))
    #expect(script.text.contains("'when = walking' needs an accelerometer"), "\(script.text)")
  }

  @Test func `a board that does not answer is omitted, unless the user accepts it`() async throws {
    let (guide, script) = try await guide(
      ["1 2", "no", "yes", "left", "", "", "", "", "", ""],
      Surroundings(silent: [Self.left, Self.right]))
    #expect(guide.configuration.boards.map(\.address) == [Self.right])
    #expect(script.text.contains("it sleeps\n  press its button"))
  }

  @Test func `default answers come from the configuration, and boards out of range can stay in it`()
    async throws
  {
    var present = Self.fresh
    present.boards = [
      ConfiguredBoard(name: "heel", address: Self.right, placement: "right heel"),
      ConfiguredBoard(name: "home", address: BoardAddress(value: 7), placement: nil),
    ]
    present.recording.adapters = [BoardAddress(value: 2)]
    present.rule.time = .command
    present.uploads = .never
    let (guide, script) = try await guide(
      ["", "", "", "", "", "yes", "", "", "", "", ""],
      Surroundings(adapterCount: 2, known: ["study"]), from: present)
    #expect(guide.configuration == present)
    #expect(script.text.contains("'home' in the configuration was not found. Keep it? [yes]"))
    #expect(script.text.contains("Enter their numbers, separated by spaces, or 'all' [2]"))
  }

  @Test func `a new destination that fails its test is dropped unless the user confirms it`()
    async throws
  {
    let refusal = Setback(.rejected, "it knows no uploads", remedy: "correct the address")
    let boards = ["1", "", "", ""]
    let rest = ["", "", "none", "new", "x", "https://h.example.org", "", "/etc/token", ""]
    let (dropped, script) = try await guide(
      boards + rest + [""], Surroundings(setback: refusal))
    #expect(dropped.newDestination == nil && dropped.configuration.destinations.isEmpty)
    #expect(script.text.contains("cannot upload to 'home': it knows no uploads"))
    let (kept, _) = try await guide(boards + rest + ["yes"], Surroundings(setback: refusal))
    #expect(kept.configuration.destinations == ["home"])
    #expect(
      kept.newDestination?.arguments(store: "/s") == [
        "destination", "add", "home", "--store", "/s", "--http", "https://h.example.org",
        "--token-file", "/etc/token",
      ])
  }

  @Test func `if setup asks no questions, an unreachable destination is reported and accepted`()
    async throws
  {
    var options = SetupAnswers()
    options.boards = ["left=C8:4B:AA:97:50:05"]
    options.destinations = ["home"]
    options.url = "https://h.example.org"
    let silence = Setback(.unavailable, "no response", remedy: "check that the server is running")
    var guide = try SetupGuide(options, from: Self.fresh, Surroundings(setback: silence), nil)
    try await guide.run()
    #expect(guide.newDestination != nil)
    #expect(guide.doubts.map(\.event) == ["destination not verified"])
    #expect(guide.doubts.map(\.reason) == ["cannot upload to 'home': no response"])
  }

  @Test(arguments: 0..<11)
  func `if the input ends, setup ends, whichever question it is asking`(count: Int)
    async throws
  {
    let answers = ["", "", "", "", "", "", "", "", "", "", ""]
    var guide = try SetupGuide(
      SetupAnswers(), from: Self.fresh, Surroundings(),
      Script(Array(answers.prefix(count))).people)
    await #expect(throws: Complaint.self) { try await guide.run() }
  }

  @Test func `setup does not ask questions that its options have already answered`()
    async throws
  {
    var options = SetupAnswers()
    options.boards = ["left=C8:4B:AA:97:50:05"]
    options.placements = ["left=left ankle"]
    options.sensors = [SensorRequest(signal: "acceleration", rate: 50)]
    options.receiver = PositionSource("gpsd")
    options.destinations = ["study"]
    options.recordingTime = .command
    let (asked, _) = try await guide([], options: options)
    var silent = try SetupGuide(options, from: Self.fresh, Surroundings(), nil)
    try await silent.run()
    #expect(asked.configuration == silent.configuration)
    #expect(silent.configuration.boards[0].placement == "left ankle")
    #expect(silent.configuration.destinations == ["study"])
  }

  @Test func `setup reports missing and invalid options`() throws {
    var options = SetupAnswers()
    options.url = "https://h.example.org"
    options.recordingTime = .hours
    #expect(
      options.missing(beside: GatewayConfiguration())
        == ["--board NAME=ADDRESS", "--hours HOURS", "one --destination NAME"])
    for text in ["left", "left=x", "=C8:4B:AA:97:50:05"] {
      var wrong = SetupAnswers()
      wrong.boards = [text]
      #expect(throws: Complaint.self) { try wrong.applied(to: GatewayConfiguration()) }
    }
    for word in ["all", "new", "none"] {
      var wrong = SetupAnswers()
      wrong.url = "https://h.example.org"
      wrong.destinations = [word]
      #expect(throws: Complaint.self) { try wrong.applied(to: GatewayConfiguration()) }
    }
    var wrong = SetupAnswers()
    wrong.placements = ["left=ankle"]
    #expect(throws: Complaint.self) { try wrong.applied(to: GatewayConfiguration()) }
  }

  @Test func `without an adapter, or without a board, setup ends with an error`() async throws {
    await #expect(
      throws: Complaint(
        "there is no Bluetooth adapter", remedy: "plug one in; 'footbridge doctor' shows more",
        status: .unavailable)
    ) { _ = try await guide([], Surroundings(adapterCount: 0)) }
    await #expect(
      throws: Complaint(
        "no boards were found, and nothing was written",
        remedy: "charge the boards, move closer, and switch Bluetooth off on phones that were "
          + "connected to them", status: .boardNotFound)
    ) { _ = try await guide(["no"], Surroundings(heard: [])) }
    // The only board in range does not answer, and the user does not accept it.
    await #expect(
      throws: Complaint(
        "no board was chosen, and nothing was written", remedy: "run the setup again",
        status: .boardNotFound)
    ) {
      _ = try await guide(
        ["1", "no"], Surroundings(heard: [Self.left], silent: [Self.left]))
    }
  }
}
