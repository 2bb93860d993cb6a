import Foundation
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// The questions that `record` asks on a terminal when a recording ends.
@Suite(.realTime) struct ReportAfterRecordingTests {
  private let world: BoardsWorld

  init() async throws {
    world = try await BoardsWorld()
  }

  /// Starts a recording, with the definitions of a study in its store.
  private func record(
    _ options: [String] = [], on terminal: borrowing PseudoTerminal
  ) async throws -> Program {
    let program = try world.start(
      ["record"] + options, onTerminal: terminal.path, readsTerminal: true)
    try await terminal.text(upTo: "1 board  1")
    try StoreEditor(path: world.store).keep(
      StoredDefinitions(
        source: "home", place: "x", pulled: UTCTime(nanoseconds: 0), tag: nil,
        content: #"""
          {"format": 1, "tasks": [{"id": "end", "type": "survey",
            "questions": [{"id": "pain", "text": "Pain", "type": "scale", "from": 0, "to": 10}]}]}
          """#))
    return program
  }

  private func session() async throws -> [String: Any] {
    let shown = try await world.run("show", "last", "--json")
    return try #require(
      try JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? [String: Any])
  }

  private func expect(
    hazards: [String], reports: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [[String: Any]] {
    let session = try await session()
    let found = try #require(session["hazards"] as? [[String: Any]])
    #expect(found.map { $0["name"] as? String } == hazards, sourceLocation: sourceLocation)
    let stored = session["reports"] as? [[String: Any]] ?? []
    #expect(stored.count == reports, sourceLocation: sourceLocation)
    return stored
  }

  @Test func `the key e starts the questions, and their answers are in the store and the export`()
    async throws
  {
    let folder = world.scratch.path + "/out"
    let terminal = try PseudoTerminal()
    let program = try await record(["--export", folder], on: terminal)
    terminal.press("e")
    let before = try await terminal.text(upTo: "or 'not answered' [later]")
    #expect(before.contains("Submit a report now, or later with 'footbridge survey "), "\(before)")
    terminal.press("slip=2\n")
    try await terminal.text(upTo: "Another hazard and its intensity [no more]")
    terminal.press("\n")
    try await terminal.text(upTo: "Pain")
    terminal.press("3\n")
    try await terminal.text(upTo: "Report submitted.")
    #expect(await program.wait().status == 0)
    let reports = try await expect(hazards: ["Slippery"], reports: 1)
    #expect(reports.first?["hazards"] as? String == "reported")
    #expect(reports.first?["utc"] is String)
    #expect((reports.first?["answers"] as? [String: Any])?["pain"] as? Int == 3)
    let events = try String(contentsOfFile: folder + "/samples.events.csv", encoding: .utf8)
    #expect(events.contains("Slippery") && events.contains("submitted"), "\(events)")
    await world.endWithoutComplaints()
  }

  @Test func `Ctrl-C at a question postpones the report, and the exit status is still 0`()
    async throws
  {
    let terminal = try PseudoTerminal()
    let program = try await record(on: terminal)
    program.signal(SIGINT)
    try await terminal.text(upTo: "[later]")
    // A second signal within a quarter of a second would count as the first one.
    try await Pause.seconds(0.5)
    program.signal(SIGINT)
    #expect(await program.wait().status == 0)
    _ = try await expect(hazards: [], reports: 0)
    let later = try await world.run("survey", "last", "--no-hazard", "--answer", "pain=0")
    #expect(later.status == 0, "\(later.errors)")
    _ = try await expect(hazards: [], reports: 1)
    await world.endWithoutComplaints()
  }

  @Test func `if the process is killed at a question, the session and its hazards are complete`()
    async throws
  {
    let terminal = try PseudoTerminal()
    let program = try await record(on: terminal)
    terminal.press("e")
    try await terminal.text(upTo: "[later]")
    terminal.press("slip=2\n")
    try await terminal.text(upTo: "Another hazard and its intensity [no more]")
    program.signal(SIGKILL)
    _ = await program.wait()
    _ = try await expect(hazards: ["Slippery"], reports: 0)
    let reader = try StoreReader(path: world.store)
    let sessions = try reader.sessions()
    #expect(sessions.first?.end != nil)
    await world.endWithoutComplaints()
  }

  @Test func `no questions are asked after a recording that the user did not end`() async throws {
    let terminal = try PseudoTerminal()
    let program = try await record(["--seconds", "2"], on: terminal)
    try await terminal.text(upTo: "Submit a report with 'footbridge survey ")
    #expect(await program.wait().status == 0)
    await world.endWithoutComplaints()
  }

  @Test func `no questions are asked after a recording with '--quiet'`() async throws {
    let terminal = try PseudoTerminal()
    let program = try world.start(
      ["record", "--quiet"], onTerminal: terminal.path, readsTerminal: true)
    try await wait(for: "it records") {
      guard StoreReader.exists(at: world.store) else { return false }
      let reader = try StoreReader(path: world.store)
      guard let session = try reader.sessions().first else { return false }
      return try reader.events(of: session.id).contains { $0.kind == .settings }
    }
    try await Pause.seconds(1)
    program.signal(SIGINT)
    #expect(await program.wait().status == 0)
    await world.endWithoutComplaints()
  }
}
