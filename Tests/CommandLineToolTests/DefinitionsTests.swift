import BoardDriver
import Foundation
import Gateway
import LinuxSystem
import Positioning
import Recording
import Storage
import TestSupport
import Testing
import Values

@testable import CommandLineTool
@testable import Terminal

/// Sets of definitions: the keys that each set changes, its faults, and its precedence over other
/// settings.
@Suite(.computation) struct DefinitionsTests {
  private static let whole = #"""
    {"format": 1, "updated_at": "2026-05-04T09:30:00Z", "chunk_size": 2000,
     "sensors": [{"signal": "acceleration", "rate": 100, "range": 16},
                 {"signal": "angular_velocity", "rate": 50}],
     "boards": [{"name": "left", "address": "C8:4B:AA:97:50:05", "placement": "left ankle"},
                {"name": "right", "address": "C8:4B:AA:98:51:08"}],
     "hazards": ["Slippery", "Low branch", "low BRANCH", "Ice"],
     "site": {"name": "ward 3", "note": "second week",
              "place": {"latitude": 47.5, "longitude": 8.25, "altitude": 412}},
     "upload": {"when": "not-recording", "seal_minutes": 2.5, "session_hours": 12}}
    """#

  private func definitions(_ text: String) throws -> Definitions {
    try Definitions(parsing: Array(text.utf8))
  }

  private func pulled(_ text: String) throws -> PulledDefinitions {
    try PulledDefinitions(
      StoredDefinitions(
        source: "home", place: "http https://a.example",
        pulled: UTCTime(nanoseconds: 1_777_887_000_000_000_000), tag: nil, content: text))
  }

  private func file(_ text: String) -> ConfigurationReading {
    ConfigurationReading(Array(text.utf8), file: "f.conf")
  }

  // MARK: Sets

  @Test func `each member of a set of definitions sets the corresponding configuration key`() throws
  {
    let set = try definitions(Self.whole)
    var expected = GatewayConfiguration()
    expected.recording.sensors = [
      SensorRequest(signal: "acceleration", rate: 100, range: 16),
      SensorRequest(signal: "angular_velocity", rate: 50),
    ]
    var left = ConfiguredBoard()
    left.name = "left"
    left.address = BoardAddress(value: 0xc84b_aa97_5005)
    left.placement = "left ankle"
    var right = ConfiguredBoard()
    right.name = "right"
    right.address = BoardAddress(value: 0xc84b_aa98_5108)
    expected.boards = [left, right]
    expected.recording.gateway = "ward 3"
    expected.recording.note = "second week"
    expected.recording.receiver = PositionSource("fixed:47.5,8.25,412")
    expected.uploads = .notRecording
    expected.recording.sealMinutes = 2.5
    expected.sessionSeconds = 43_200
    #expect(set.configuration == expected)
    // The built-in names do not count as additional ones.
    #expect(set.hazards == ["Low branch", "Ice"])
    #expect(set.updated == UTCTime(iso8601: "2026-05-04T09:30:00Z"))
    #expect(set.skipped == [] && set.remarks == [])
  }

  @Test func `unknown members of all kinds are skipped and counted, and the known ones apply`()
    throws
  {
    let set = try definitions(
      #"""
      {"format": 1, "colours": {"a": [1]}, "chunk_size": 500, "hazards": null,
       "sensors": [{"signal": "acceleration", "rate": 100, "phase": 1}, {"signal": "pulse"}, {"id": 7}],
       "boards": [{"name": "left", "address": "C8:4B:AA:97:50:05", "battery": 3}, {"model": "S"}],
       "site": {"street": "Long Lane", "name": "ward 3"}, "upload": {"limit": {"kb": 3}}}
      """#)
    #expect(
      set.skipped == [
        "boards[0].battery", "boards[1]", "colours", "sensors[0].phase", "sensors[1] (pulse)",
        "sensors[2]", "site.street", "upload.limit",
      ])
    #expect(
      set.configuration.recording.sensors == [SensorRequest(signal: "acceleration", rate: 100)])
    #expect(set.configuration.boards.map(\.name) == ["left"])
    #expect(set.configuration.recording.gateway == "ward 3")
    #expect(set.remarks == ["chunk_size: chunks have 2000 samples, not 500"])
  }

  @Test func `participants are listed, and a configured participant gets the listed description`()
    throws
  {
    let text = #"""
      {"format": 1, "participants": [
        {"id": "P07", "height": 1.78, "side": "left", "cane": true, "visits": ["a"]}, {"id": "P08"}]}
      """#
    let set = try definitions(text)
    let first = Participant("P07", height: 1.78, side: .left, details: ["cane": "true"])
    #expect(set.participants == [first, Participant("P08")])
    #expect(set.skipped == ["participants[0].visits"])
    #expect(
      DefinitionsText.table(set, inUTC: true).contains { $0.hasPrefix("participants  P07, P08") })
    #expect(DefinitionsText.counts(set) == "2 participants, 1 unknown member skipped")
    func recorded(_ id: String) throws -> Participant? {
      let reading = file("[recording]\nparticipant = \(id)").over(try pulled(text))
      #expect(reading.faults.isEmpty)
      let hints = reading.hints.map(\.message).filter { $0.contains("participant") }
      #expect(hints == (id == "P09" ? ["the definitions list no participant 'P09'"] : []))
      return reading.configuration.plan.nextRecording.settings.participant
    }
    #expect(try recorded("p07") == first)
    #expect(try recorded("P09") == Participant("P09"))
    #expect(file("").over(try pulled(text)).configuration.participant == nil)
  }

  @Test func `tasks and studies are listed in order, and tasks of unknown types are skipped`()
    throws
  {
    let set = try definitions(
      #"""
      {"format": 1, "tasks": [
        {"id": "tug", "name": "Timed up and go", "instructions": "Stand up.\n<b>Walk</b>\u001b[2J",
         "seconds": 30, "repeat": 3, "difficulty": "easy"},
        {"id": "swim", "type": "water"}, {"id": "mood", "type": "survey", "colour": "red"}],
       "studies": [{"id": "winter", "name": "Winter", "blocks": [
        {"id": "day1", "name": "Day 1", "tasks": ["mood", "swim", "tug", "tug"]}]}]}
      """#)
    var tug = StudyTask(id: "tug", name: "Timed up and go", kind: .timed)
    tug.instructions = "Stand up.\n<b>Walk</b>\u{fffd}[2J"
    (tug.seconds, tug.repetitions, tug.difficulty) = (30, 3, "easy")
    #expect(set.plan.tasks == [tug, StudyTask(id: "mood", name: "mood", kind: .survey)])
    #expect(set.plan.timedTasks == [tug])
    #expect(set.plan.studies.map(\.name) == ["Winter"])
    #expect(set.plan.studies.first?.blocks.first?.tasks == ["mood", "tug", "tug"])
    #expect(set.skipped == ["tasks[1] (water)", "tasks[2].colour"])
    #expect(DefinitionsText.counts(set) == "2 tasks, 2 unknown members skipped")
    #expect(
      DefinitionsText.table(set, inUTC: true).contains {
        $0.hasPrefix("studies  Winter, Day 1: mood, tug, tug")
      })
  }

  @Test func `questions of known types are listed, and questions of unknown types are skipped`()
    throws
  {
    let set = try definitions(
      #"""
      {"format": 1, "tasks": [{"id": "end", "type": "survey", "questions": [
        {"id": "mood", "text": "How?", "type": "choice", "choices": ["good", "bad"], "icon": 1},
        {"id": "face", "text": "Photo", "type": "picture"},
        {"id": "kg", "text": "Load", "type": "number", "optional": true}]}]}
      """#)
    var load = SurveyQuestion(id: "kg", text: "Load", kind: .number(SurveyQuestion.numbers))
    load.isOptional = true
    #expect(
      set.plan.questions == [
        SurveyQuestion(id: "mood", text: "How?", kind: .choice(["good", "bad"])), load,
      ])
    #expect(
      set.skipped == ["tasks[0].questions[0].icon", "tasks[0].questions[1] (picture)"])
    #expect(set.plan.timedTasks.isEmpty)
  }

  @Test func `too many tasks and too long instructions are rejected`() {
    let many = (0..<1_000).map { #"{"id":"t\#($0)"}"# }.joined(separator: ",")
    let long = String(repeating: "x", count: 100_000)
    for (member, reason) in [
      (many, "'tasks' has more than 200 entries"),
      (
        #"{"id":"t","instructions":"\#(long)"}"#,
        "'tasks[0].instructions' must be text of at most 4000 characters"
      ),
    ] {
      let error = #expect(throws: Definitions.Fault.self) {
        try definitions(#"{"format": 1, "tasks": [\#(member)]}"#)
      }
      #expect(error?.reason == reason)
    }
  }

  @Test func `if no sensor in the definitions is known, the default sensors are used`() throws {
    let set = try definitions(#"{"format": 1, "sensors": [{"signal": "pulse", "rate": 1}]}"#)
    #expect(set.configuration == GatewayConfiguration())
    #expect(set.places.isEmpty && set.skipped.count == 1)
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    let text: String
    let reason: String

    init(_ text: String, _ reason: String) {
      self.text = text
      self.reason = reason
    }

    var testDescription: String { text }
  }

  @Test(arguments: [
    Mistake("", "invalid JSON at byte 0: unexpected end"),
    Mistake("<html>log in</html>", "invalid JSON at byte 0: no value"),
    Mistake("[]", "the definitions are not a JSON object"),
    Mistake(
      #"{"format": 1, "participants": [{"id": "P07"}, {"id": "P08", "height": 178}]}"#,
      "'participants[1].height' must be a height in metres, from 0.3 to 2.8"),
    Mistake(#"{"format": 1, "participants": [7]}"#, "'participants[0]' must be an object"),
    Mistake(
      #"{"format": 1, "participants": [{"id": "P07"}, {"id": "p07"}]}"#,
      "two participants have the id 'p07'"),
    Mistake(
      #"{"format": 1, "tasks": [{"id": "s", "type": "survey", "questions": [{"id": "a"}]}]}"#,
      "'tasks[0].questions[0].text' is neither text nor a number"),
    Mistake(
      #"{"format": 1, "tasks": [{"id": "s", "type": "survey", "questions": [{"id": "a", "#
        + #""text": "A?", "type": "choice", "choices": ["x", "X"]}]}]}"#,
      "'tasks[0].questions[0].choices' must be a list of 2 to 20 different texts"),
    Mistake(
      #"{"format": 1, "tasks": [{"id": "s", "type": "survey", "questions": [{"id": "a", "#
        + #""text": "A?", "type": "scale", "from": -9e18, "to": 9e18}]}]}"#,
      "'tasks[0].questions[0]' requires whole numbers 'from' and 'to'; 'to' must exceed 'from' by 1 "
        + "to 19"),
    Mistake(
      #"{"format": 1, "tasks": [{"id": "s", "type": "survey", "questions": [{"id": "a", "#
        + #""text": "A?", "type": "text"}]}, {"id": "t", "type": "survey", "#
        + #""questions": [{"id": "A", "text": "B?", "type": "text"}]}]}"#,
      "two 'questions' have the id 'A'"),
    Mistake(#"{"format": 1, "tasks": ["tug"]}"#, "'tasks[0]' is not a map"),
    Mistake(
      #"{"format": 1, "tasks": [{"id": "a b"}]}"#,
      "'tasks[0].id' is missing or invalid: an id \(TaskLog.rule)"),
    Mistake(
      #"{"format": 1, "tasks": [{"id": "a"}, {"id": "A"}]}"#, "two 'tasks' have the id 'A'"),
    Mistake(
      #"{"format": 1, "tasks": [{"id": "a", "seconds": 0}]}"#,
      "'tasks[0].seconds' must be a number greater than 0 and at most 86400"),
    Mistake(
      #"{"format": 1, "tasks": [{"id": "a", "repeat": 1.5}]}"#,
      "'tasks[0].repeat' must be a whole number from 1 to 100"),
    Mistake(
      #"{"format": 1, "studies": [{"id": "s", "blocks": [{"id": "b", "tasks": ["tug"]}]}]}"#,
      "block 'b' of study 's' refers to task 'tug', which 'tasks' does not contain"),
    Mistake(
      #"{"format": 1, "tasks": [{"id": "a"}], "studies": [{"id": "s", "blocks": "#
        + #"[{"id": "b", "tasks": ["a"]}, {"id": "c", "tasks": ["b"]}]}]}"#,
      "block 'c' of study 's' refers to task 'b', which 'tasks' does not contain"),
    Mistake(
      #"{"status": "ok"}"#, #"the definitions have no "format": 1"#),
    Mistake(
      #"{"format": 2}"#,
      "the definitions have a format other than 1, which is the only one that this version reads"),
    Mistake(#"{"format": 1, "sensors": {}}"#, "'sensors' is not a list"),
    Mistake(#"{"format": 1, "sensors": ["acceleration"]}"#, "'sensors[0]' is not a map"),
    Mistake(
      #"{"format": 1, "sensors": [{"signal": "acceleration", "rate": -1}]}"#,
      "'sensors[0].rate' must be a number greater than 0 and at most 1000000"),
    Mistake(
      #"{"format": 1, "sensors": [{"signal": "acceleration", "rate": "fast"}]}"#,
      "'sensors[0].rate' must be a number greater than 0 and at most 1000000"),
    Mistake(
      #"{"format": 1, "sensors": [{"signal": "steps"}, {"signal": "steps"}]}"#,
      "sensors.sensor: 'sensor' lists 'steps' twice"),
    Mistake(#"{"format": 1, "hazards": ["S"]}"#, "'hazards[0]' cannot be the name of a hazard"),
    Mistake(#"{"format": 1, "hazards": "Ice"}"#, "'hazards' is not a list"),
    Mistake(#"{"format": 1, "site": "ward 3"}"#, "'site' is not a map"),
    Mistake(
      #"{"format": 1, "site": {"name": ["ward 3"]}}"#, "'site.name' is neither text nor a number"),
    Mistake(
      #"{"format": 1, "site": {"name": "ward\u3164 3"}}"#,
      "'site.name' contains an invisible character, U+3164"),
    Mistake(
      #"{"format": 1, "site": {"name": "\u202eward 3"}}"#,
      "'site.name' contains an invisible character, U+202E"),
    Mistake(
      #"{"format": 1, "site": {"place": "/dev/ttyUSB0"}}"#,
      "'site.place' needs a latitude and a longitude"),
    Mistake(
      #"{"format": 1, "site": {"place": {"latitude": 91, "longitude": 0}}}"#,
      "receiver.gps: 'gps' cannot be 'fixed:91.0,0.0'"),
    Mistake(
      #"{"format": 1, "upload": {"when": "sometimes"}}"#,
      "upload.when: 'when' cannot be 'sometimes'"
    ),
    Mistake(
      #"{"format": 1, "upload": {"when": true}}"#, "'upload.when' is neither text nor a number"),
    Mistake(
      #"{"format": 1, "boards": [{"name": "a", "address": "hci0"}]}"#,
      "board a.address: 'address' cannot be 'hci0'"),
    Mistake(
      #"{"format": 1, "boards": [{"name": "a", "address": "C8:4B:AA:97:50:05"}, {"name": "A", "address": "C8:4B:AA:97:50:06"}]}"#,
      "two boards have the name 'A'"),
    Mistake(
      #"{"format": 1, "boards": [{"name": "a", "address": "C8:4B:AA:97:50:05"}, {"name": "b", "address": "C8:4B:AA:97:50:05"}]}"#,
      "board b.address: [board b] has the same address as [board a]"),
    Mistake(#"{"format": 1, "chunk_size": "many"}"#, "'chunk_size' is not a number of samples"),
    Mistake(
      #"{"format": 1, "updated_at": 7}"#,
      "'updated_at' is not a time such as 2026-05-04T09:30:00Z"),
  ])
  func `one invalid value causes the whole set of definitions to be rejected`(mistake: Mistake) {
    let fault = #expect(throws: Definitions.Fault.self) { try definitions(mistake.text) }
    #expect(fault?.reason == mistake.reason)
  }

  @Test func `sensors that no board can record are rejected`() {
    for sensors in [
      #"[{"signal": "acceleration", "rate": 123456}]"#,
      #"[{"signal": "acceleration", "rate": 100, "range": 3}]"#,
      #"[{"signal": "acceleration", "rate": 100}, {"signal": "quaternion", "rate": 100}]"#,
    ] {
      let fault = #expect(throws: Definitions.Fault.self, "\(sensors)") {
        try definitions(#"{"format": 1, "sensors": \#(sensors)}"#)
      }
      #expect(fault?.reason.hasPrefix("no board supports 'sensors': ") == true)
    }
  }

  @Test func `a destination's definitions can set only the listed configuration keys`() {
    // Before you add a key here, consider what an attacker could do with it.
    #expect(
      GatewayConfiguration.descriptions.filter { $0.pulledAs != nil }.map(\.path) == [
        "gateway.name", "board.address", "board.placement", "sensors.sensor", "receiver.gps",
        "recording.seal", "recording.session-hours", "recording.note", "upload.when",
      ])
  }

  @Test func `docs/definitions.md lists the members with their keys, and its example is valid`()
    throws
  {
    let document = try #require(WholeFile.text(Repository.path("docs/definitions.md")))
    for key in GatewayConfiguration.descriptions {
      guard let member = key.pulledAs else { continue }
      #expect(
        document.split(separator: "\n").contains {
          $0.hasPrefix("| `\(member)` |") && $0.hasSuffix("| `\(key.path)` |")
        }, "\(member)")
    }
    let parts = document.split(separator: "```")
    let example = try #require(parts.first { $0.hasPrefix("json\n") })
    let set = try definitions(String(example.dropFirst(5)))
    #expect(set.skipped == [] && set.remarks == [])
    #expect(set.places.count == 9)
  }

  @Test func `randomly edited definitions are rejected, or set only valid configuration values`() {
    let seed =
      ProcessInfo.processInfo.environment["FOOTBRIDGE_SEED"].flatMap { UInt64($0) }
      ?? .random(in: 0..<1_000_000)
    print("definitions: FOOTBRIDGE_SEED=\(seed)")
    var generator = SeededGenerator(seed: seed)
    let whole = Array(Self.whole.utf8)
    let pieces = ["null", "[", "{", "\"", "1e999", "-1", "true", "\\u0000", ",", "\u{202e}", "[]"]
      .map { Array($0.utf8) }
    var sound = 0
    for round in 0..<600 {
      var bytes = whole
      for _ in 0...Int.random(in: 0...2, using: &generator) {
        let place = Int.random(in: 0...bytes.count, using: &generator)
        switch Int.random(in: 0...3, using: &generator) {
        case 0: bytes.removeSubrange(place..<min(bytes.count, place + 4))
        case 1: bytes.insert(contentsOf: pieces.randomElement(using: &generator) ?? [], at: place)
        case 2: if place < bytes.count { bytes[place] = .random(in: 32...126, using: &generator) }
        default: bytes = Array(bytes.prefix(place))
        }
      }
      guard let set = try? Definitions(parsing: bytes) else { continue }
      sound += 1
      #expect((try? Definitions(parsing: bytes)) == set, "seed \(seed) \(round)")
      // The accepted members are also valid in a configuration file.
      for key in GatewayConfiguration.keys {
        for value in set.values(of: key.description) {
          #expect(key.fits(value), "seed \(seed) \(round): \(key.description.path) = \(value)")
        }
      }
    }
    #expect(sound > 0, "seed \(seed)")
  }

  // MARK: Overriding

  @Test
  func `the configuration file overrides the definitions, which in turn override the defaults`()
    throws
  {
    let reading = file(
      """
      [gateway]
      name = trolley
      [sensors]
      sensor = temperature@1
      [recording]
      note =
      [upload]
      when = always
      """
    ).over(try pulled(Self.whole))
    #expect(reading.faults == [])
    let values = reading.configuration
    #expect(values.recording.gateway == "trolley")
    #expect(values.recording.sensors == [SensorRequest(signal: "temperature", rate: 1)])
    // A key that is explicitly empty in the file also overrides the definitions.
    #expect(values.recording.note == nil)
    #expect(values.uploads == .always)
    #expect(values.recording.sealMinutes == 2.5)
    #expect(values.boards.map(\.name) == ["left", "right"])
    #expect(reading.source(of: .init(section: .gateway, key: "name")) == .file(lines: [2]))
    #expect(reading.source(of: .init(section: .recording, key: "note")) == .file(lines: [6]))
    let origin = ConfigurationReading.Source.pulled(
      from: "home", at: UTCTime(nanoseconds: 1_777_887_000_000_000_000))
    #expect(reading.source(of: .init(section: .recording, key: "seal")) == origin)
    #expect(
      reading.source(of: .init(section: .board, name: "left", key: "placement")) == origin)
    #expect(reading.source(of: .init(section: .recording, key: "when")) == .standard)
  }

  @Test
  func `boards in the configuration file replace pulled boards but keep the pulled placement`()
    throws
  {
    let reading = file(
      """
      [board l]
      address = C8:4B:AA:97:50:05
      [board r]
      address = C8:4B:AA:98:51:09
      """
    ).over(try pulled(Self.whole))
    #expect(reading.configuration.boards.map(\.name) == ["l", "r"])
    #expect(reading.configuration.boards.map(\.placement) == ["left ankle", nil])
    guard case .pulled = reading.source(of: .init(section: .board, name: "l", key: "placement"))
    else {
      Issue.record("the placement is pulled")
      return
    }
    #expect(reading.source(of: .init(section: .board, name: "r", key: "placement")) == .standard)
  }

  @Test func `a configuration file has the same faults with definitions as without`() throws {
    let text = "[sharing]\nlive-location = study\n"
    #expect(file(text).faults.count == 1)
    #expect(file(text).over(try pulled(Self.whole)).faults == file(text).faults)
    // Hints refer to the configuration that the gateway actually uses.
    #expect(file("").hints.map(\.message) == ["no boards are configured, so nothing is recorded"])
    #expect(file("").over(try pulled(Self.whole)).hints == [])
  }

  @Test func `'config explain' shows the origin of each value, and the values it overrides`() throws
  {
    let explanation = ConfigurationExplanation(
      file("[upload]\nwhen = never\n").over(try pulled(Self.whole)))
    let table = explanation.table
    #expect(
      table.contains {
        $0.hasPrefix("recording.seal ")
          && $0.hasSuffix(" pulled from home at 2026-05-04T09:30:00Z")
      })
    #expect(table.contains { $0.hasPrefix("upload.when ") && $0.hasSuffix(" line 2") })
    #expect(table.contains { $0.hasPrefix("recording.when ") && $0.hasSuffix(" default") })
    let lines = explanation.lines(of: try ConfigurationExplanation.key("upload.when"))
    #expect(lines.contains("  now             never, set on line 2 of f.conf"), "\(lines)")
    #expect(lines.contains("  pulled          not-recording from home, overridden by the file"))
    #expect(lines.contains("  in definitions  upload.when"))
    let seal = explanation.lines(of: try ConfigurationExplanation.key("seal"))
    #expect(
      seal.contains("  now             2.5 minutes, pulled from home at 2026-05-04T09:30:00Z"),
      "\(seal)")
  }

  // MARK: Hazards

  @Test func `a prefix of a pulled hazard name selects the hazard`() throws {
    let names = ["Low branch", "Low wall", "Ice"]
    func name(_ text: String) throws -> String {
      try #require(HazardRequest(text)).completed(among: names).name
    }
    #expect(try name("ic=2") == "Ice")
    #expect(try name("low b=1") == "Low branch")
    #expect(try name("slip=1") == "Slippery")
    #expect(try name("Hole=1") == "Hole")
    let complaint = #expect(throws: Complaint.self) { try name("low=1") }
    #expect(complaint?.message == "'low' could mean Low branch or Low wall")
  }
}
