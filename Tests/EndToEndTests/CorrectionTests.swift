import ChunkFormat
import Foundation
import Recording
import Storage
import TestSupport
import Testing

/// Corrections to a session's details, and how they reach every copy of the session.
@Suite(.realTime) struct CorrectionTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// Two boards of the latest session, which the user distinguishes by address.
  private struct Walk {
    var store: String
    var one: String
    var other: String
  }

  /// Runs the program on a store.
  private func run(
    _ store: String, _ arguments: [String], _ environment: [String: String] = [:]
  ) async throws -> Program.Outcome {
    let outcome = try await Program.run(
      Program.footbridge, arguments,
      environment: scratch.environment.merging(
        ["FOOTBRIDGE_STORE": store, "no_proxy": "*"]
      ) { $1 }.merging(environment) { $1 })
    try #require(outcome.status == 0, "\(arguments): \(outcome.errors)")
    return outcome
  }

  private func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// Returns the names and placements of a session's boards, from `show --json` or an export.
  private func boards(_ description: [String: Any]) throws -> [String: [String]] {
    let boards = try #require(description["boards"] as? [[String: Any]])
    return Dictionary(
      uniqueKeysWithValues: boards.map { board in
        (
          board["address"] as? String ?? "",
          ["name", "placement"].map { board[$0] as? String ?? "" }
        )
      })
  }

  private func shown(_ store: String) async throws -> [String: Any] {
    try object(try await run(store, ["show", "last", "--json"]).output)
  }

  /// Records two boards whose names were swapped.
  private func record() async throws -> Walk {
    let store = try await scratch.recordDemo()
    let addresses = try boards(try await shown(store)).keys.sorted()
    try #require(addresses.count == 2)
    let walk = Walk(store: store, one: addresses[0], other: addresses[1])
    _ = try await run(
      store,
      [
        "session", "edit", "last", "--wearer", "P70", "--note", "over the bridge", "--name",
        "\(walk.one)=left", "--placement", "\(walk.one)=left wrist", "--name",
        "\(walk.other)=right", "--placement", "\(walk.other)=right ankle",
      ])
    return walk
  }

  private func correct(_ walk: Walk) async throws {
    let swapped = try await run(
      walk.store, ["session", "edit", "last", "--swap", "left,right", "--wearer", "P07"])
    #expect(swapped.output.split(separator: "\n").count == 6, "\(swapped.output)")
  }

  /// Expects the correction in this description of the session.
  private func expectCorrected(
    _ description: [String: Any], _ walk: Walk, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(
      try boards(description) == [
        walk.one: ["right", "right ankle"], walk.other: ["left", "left wrist"],
      ], sourceLocation: sourceLocation)
    #expect(description["wearer"] as? String == "P07", sourceLocation: sourceLocation)
    #expect(description["note"] as? String == "over the bridge", sourceLocation: sourceLocation)
  }

  /// Returns the values in this column, one for each board named in another column.
  private func column(_ name: String, of table: String) throws -> [String: Set<String>] {
    let rows = table.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let head = try #require(rows.first)
    let board = try #require(head.firstIndex(of: "board"))
    let place = try #require(head.firstIndex(of: name))
    return rows.dropFirst().reduce(into: [:]) { $0[$1[board], default: []].insert($1[place]) }
  }

  /// Expects the correction in every export from `--store FILE` or `--folder FOLDER`.
  private func expectExportsCorrected(_ place: [String], _ walk: Walk) async throws {
    let names: [String: Set<String>] = [walk.one: ["right"], walk.other: ["left"]]
    func export(_ format: String) async throws -> String {
      try await run(walk.store, ["export", "last", "--format", format] + place).output
    }
    #expect(try column("name", of: try await export("csv")) == names)
    var found: [String: Set<String>] = [:]
    for line in try await export("jsonl").split(separator: "\n") {
      let sample = try object(String(line))
      found[sample["board"] as? String ?? "", default: []].insert(sample["name"] as? String ?? "")
    }
    #expect(found == names)
    try expectCorrected(try object(try await export("json")), walk)
    let track = try object(try await export("geojson"))
    let features = try #require(track["features"] as? [[String: Any]])
    try expectCorrected(try #require(features.first?["properties"] as? [String: Any]), walk)
    #expect(try await export("gpx").contains("<desc>over the bridge</desc>"))

    let folder = scratch.path + "/wide-\(UUID().uuidString.prefix(8))"
    _ = try await run(
      walk.store, ["export", "last", "--wide", "--output", folder] + place)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(Set(files).isSuperset(of: ["left.acceleration.csv", "right.acceleration.csv"]))
    func text(_ name: String) throws -> String {
      try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
    }
    try expectCorrected(try object(try text("session.json")), walk)
    // The table with the board's new name contains the board's own samples.
    let rows = try await run(
      walk.store,
      ["export", "last", "--board", walk.one, "--signal", "acceleration"] + place
    ).output.split(separator: "\n").dropFirst().map { $0.split(separator: ",")[1] }
    let right = try text("right.acceleration.csv").split(separator: "\n").dropFirst()
    #expect(right.map { $0.split(separator: ",")[1] } == rows)
    // Only events about the board contain its former name.
    let events = try text("events.csv").split(separator: "\n").filter { $0.contains(",edited,") }
    #expect(events.count == 11)
    // Each edit was made after the session and has its own time.
    let end = try #require(try object(try text("session.json"))["end"] as? String)
    #expect(events.allSatisfy { $0.hasPrefix("20") && !$0.hasPrefix(end) }, "\(events) \(end)")
    #expect(
      events.contains {
        $0.contains(",\(walk.one),") && $0.contains(",name changed from 'left' to 'right',")
      }, "\(events)")
  }

  @Test
  func `swapping boards changes the exports and, after the next upload, the receivers' exports`()
    async throws
  {
    let walk = try await record()
    let home = scratch.path + "/home.sqlite"
    let lab = scratch.path + "/lab"
    let stick = scratch.path + "/stick"
    for folder in [lab, stick] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }
    let receivers = [
      try await ReceiverProgram(into: home, environment: scratch.environment),
      try await ReceiverProgram(into: lab, environment: scratch.environment),
    ]
    for (name, receiver) in zip(["home", "lab"], receivers) {
      _ = try await run(
        walk.store,
        ["destination", "add", name, "--http", "http://127.0.0.1:\(receiver.port)"])
    }
    _ = try await run(walk.store, ["destination", "add", "stick", "--folder", stick])
    let sent = try await run(walk.store, ["upload"]).output.split(separator: "\n")
    #expect(sent.count { $0.hasSuffix(" sent, 1 session complete") } == 3, "\(sent)")
    #expect(try boards(try await shown(home))[walk.one] == ["left", "left wrist"])

    try await correct(walk)
    let places = [
      ["--store", walk.store], ["--store", home], ["--folder", lab], ["--folder", stick],
    ]
    // The receivers still have the uncorrected session until the next upload.
    #expect(try boards(try await shown(home))[walk.one] == ["left", "left wrist"])
    let again = try await run(walk.store, ["upload"]).output.split(separator: "\n")
    #expect(
      again.count { $0.hasSuffix(": 0 chunks (0 B) sent, 1 session complete") } == 3, "\(again)")
    let third = try await run(walk.store, ["upload"]).output
    #expect(!third.contains("complete"), "\(third)")
    for store in [walk.store, home] { try expectCorrected(try await shown(store), walk) }
    for place in places {
      try await expectExportsCorrected(place, walk)
      try await scratch.expectSameExports(places[0], place)
    }
    for receiver in receivers { _ = try await receiver.finish() }

    // The chunks are unchanged and still contain the names from the recording.
    let here = try StoreReader(path: walk.store)
    let there = try StoreReader(path: home)
    let session = try #require(try here.sessions().first?.id)
    let record = try #require(try here.record(of: session))
    #expect(try there.record(of: session) == record)
    for chunk in record.streams.flatMap(\.chunks) {
      let bytes = try here.bytes(ofChunk: chunk.id)
      #expect(try there.bytes(ofChunk: chunk.id) == bytes)
      #expect(try !["left", "right"].contains(Chunk(decoding: bytes.span).board.name))
    }
  }

  @Test(.enabled(if: FirestoreEmulator.isInstalled, FirestoreEmulator.advice))
  func `after the next upload, a session fetched from Firestore includes the correction`()
    async throws
  {
    let emulator = try FirestoreEmulator()
    let walk = try await record()
    func run(_ arguments: String...) async throws -> Program.Outcome {
      try await self.run(walk.store, arguments, emulator.environment)
    }
    _ = try await run("destination", "add", "cloud", "--firestore", "demo-walk")
    try await emulator.waitUntilReady()
    _ = try await run("upload")
    let before = try object(try await run("fetch", "cloud", "last", "--format", "json").output)
    #expect(before["wearer"] as? String == "P70")
    try await correct(walk)
    let again = try await run("upload")
    #expect(again.output.contains("0 chunks (0 B) sent, 1 session complete"), "\(again.output)")
    let fetched = try await run("fetch", "cloud", "last", "--format", "json").output
    try expectCorrected(try object(fetched), walk)
    #expect(try await run("export", "last", "--format", "json").output == fetched)
  }

  @Test func `boards swapped during a recording stay swapped after the recorder is killed`()
    async throws
  {
    let world = try await BoardsWorld(boards: 2)
    for (address, name) in zip(world.addresses, ["left", "right"]) {
      let paired = try await world.run(
        "pair", address, "--name", name, "--placement", "\(name) wrist")
      #expect(paired.status == 0, "\(paired.errors)")
    }
    let recording = try world.start("record", "left", "right", "--wearer", "P70")
    #expect(await recording.remarks(2) { $0.contains("event=streaming") })
    let swapped = try await world.run(
      "session", "edit", "last", "--swap", "left,right", "--wearer", "P07")
    #expect(swapped.status == 0, "\(swapped.errors)")
    func samples() async throws -> Int {
      let listed = try await world.run("sessions", "--json").output
      let sessions = try JSONSerialization.jsonObject(with: Data(listed.utf8)) as? [[String: Any]]
      return sessions?.first?["samples"] as? Int ?? 0
    }
    let before = try await samples()
    try await wait(for: "the recorder goes on") { try await samples() > before + 100 }
    #expect(recording.isRunning)
    recording.signal(SIGKILL)
    _ = await recording.wait()
    let expected = [
      world.addresses[0]: ["right", "right wrist"], world.addresses[1]: ["left", "left wrist"],
    ]
    // The first command that reads the session recovers its tail, and the next recorder ends the
    // session.
    let cutOff = try object(try await world.run("show", "last", "--json").output)
    #expect(try boards(cutOff) == expected)
    let id = try #require(cutOff["session"] as? String)
    let next = try await world.run("record", "left", "--seconds", "1")
    #expect(next.status == 0, "\(next.errors)")
    let recovered = try object(try await world.run("show", id, "--json").output)
    #expect(recovered["ended"] as? String == "recovered")
    #expect(recovered["wearer"] as? String == "P07")
    #expect(try boards(recovered) == expected)
    let events = try #require(recovered["events"] as? [[String: Any]])
    #expect(events.count { $0["kind"] as? String == "edited" } == 5)
    // The next recording uses the names that the boards got when they were paired.
    let fresh = try boards(try object(try await world.run("show", "last", "--json").output))
    #expect(fresh == [world.addresses[0]: ["left", "left wrist"]])
    await world.endWithoutComplaints()
  }
}
