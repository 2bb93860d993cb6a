import Foundation
import LinuxSystem
import TestSupport
import Testing

/// Keys typed by a user on a terminal while the program shows a view.
@Suite(.realTime) struct KeysTests {
  @Test func `hazards and notes entered with keys are stored, and the key e ends the session`()
    async throws
  {
    let world = try await BoardsWorld()
    let terminal = try PseudoTerminal()
    let program = try world.start(
      ["record"], onTerminal: terminal.path, readsTerminal: true)
    try await terminal.text(upTo: "1 board  1")
    try await terminal.text(upTo: "keys:  h notes a hazard")
    terminal.press("h")
    try await terminal.text(upTo: "1 Change")
    terminal.press("1")
    try await terminal.text(upTo: "how bad is it")
    terminal.press("2")
    try await terminal.text(upTo: "Change in Floor Levels 2 noted at ")
    terminal.press("n")
    try await terminal.text(upTo: "Enter saves it")
    terminal.press("Brücke")
    try await terminal.text(upTo: "note: Brücke_")
    terminal.press("\r")
    try await terminal.text(upTo: "note saved at ")
    terminal.press("e")
    try await leaveReport(terminal)
    let outcome = await program.wait()
    #expect(outcome.status == 0)
    let shown = try await world.run("show", "last", "--json")
    let session = try #require(
      try JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? [String: Any])
    let hazards = try #require(session["hazards"] as? [[String: Any]])
    #expect(hazards.map { $0["name"] as? String } == ["Change in Floor Levels"])
    #expect(hazards.map { $0["intensity"] as? Int } == [2])
    let notes = try #require(session["annotations"] as? [[String: Any]])
    #expect(notes.map { $0["text"] as? String } == ["Brücke"])
    await world.endWithoutComplaints()
  }

  @Test func `a note that is unfinished when the recording ends is saved`() async throws {
    let world = try await BoardsWorld()
    let terminal = try PseudoTerminal()
    let program = try world.start(["record"], onTerminal: terminal.path, readsTerminal: true)
    try await terminal.text(upTo: "1 board  1")
    terminal.press("n")
    try await terminal.text(upTo: "Enter saves it")
    terminal.press("a broken bridge")
    try await terminal.text(upTo: "note: a broken bridge_")
    program.signal(SIGINT)
    #expect(try await leaveReport(terminal).contains("note saved at "))
    #expect(await program.wait().status == 0)
    #expect(try await world.run("show", "last").output.contains("a broken bridge"))
    await world.endWithoutComplaints()
  }

  @Test
  func `on a terminal without control sequences, keys work and each response is on its own line`()
    async throws
  {
    let world = try await BoardsWorld()
    let terminal = try PseudoTerminal()
    let program = try world.start(
      ["record"], onTerminal: terminal.path, readsTerminal: true, kind: "dumb")
    try await terminal.text(upTo: "keys:  h notes a hazard")
    try await terminal.text(upTo: "1 of 1 board streaming")
    terminal.press("h")
    try await terminal.text(upTo: "hazard:  1 Change")
    terminal.press("4")
    try await terminal.text(upTo: "how bad is it")
    terminal.press("3")
    try await terminal.text(upTo: "Slippery 3 noted at ")
    terminal.press("n")
    try await terminal.text(upTo: "Enter saves it")
    // The user's terminal echoes the typed text itself.
    terminal.press("Brücke")
    try await Pause.seconds(0.3)
    terminal.press("\r")
    try await terminal.text(upTo: "note saved at ")
    terminal.press("p")
    try await terminal.text(upTo: "PAUSED 0:0")
    terminal.press("e")
    try await leaveReport(terminal)
    #expect(await program.wait().status == 0)
    let shown = try await world.run("show", "last")
    #expect(shown.output.contains("Slippery") && shown.output.contains("Brücke"))
    await world.endWithoutComplaints()
  }

  @Test
  func `no samples or positions are stored during a pause, and the samples are counted as lost`()
    async throws
  {
    let world = try await BoardsWorld()
    let terminal = try PseudoTerminal()
    let program = try world.start(
      ["record", "--gps", "fixed:53.1680,9.9400"], onTerminal: terminal.path, readsTerminal: true)
    try await terminal.text(upTo: "p pauses")
    try await terminal.text(upTo: "recording  0:01")
    terminal.press("p")
    try await terminal.text(upTo: "PAUSED     0:00  no samples are stored")
    try await terminal.text(upTo: "p resumes")
    try await terminal.text(upTo: "PAUSED     0:02")
    terminal.press("p")
    try await terminal.text(upTo: "p pauses")
    terminal.press("n")
    terminal.press("on the way again")
    terminal.press("\r")
    try await terminal.text(upTo: "note saved at ")
    terminal.press("p")
    try await terminal.text(upTo: "PAUSED     0:01")
    terminal.press("e")
    try await leaveReport(terminal)
    let outcome = await program.wait()
    #expect(outcome.status == 0)
    let session = try await self.session(in: world)
    let events = try #require(session["events"] as? [[String: Any]])
    let pauses = events.compactMap { event -> Double? in
      let kind = event["kind"] as? String
      return kind == "paused" || kind == "resumed" ? event["seconds"] as? Double : nil
    }
    try #require(pauses.count == 3)
    #expect(pauses[1] - pauses[0] >= 2)
    #expect(try paused(session) > 0)
    // No sample has a time within a pause. A chunk's clock and the arrival clock differ by
    // milliseconds.
    let table = world.scratch.path + "/walk.csv"
    let exported = try await world.run("export", "last", "--output", table)
    #expect(exported.status == 0, "\(exported.errors)")
    let times = try Self.column("seconds", of: table)
    #expect(times.contains { $0 < pauses[0] } && times.contains { $0 > pauses[1] })
    #expect(!times.contains { $0 > pauses[0] + 0.1 && $0 < pauses[1] - 0.1 })
    #expect(!times.contains { $0 > pauses[2] + 0.1 })
    let fixes = try Self.column("arrival_seconds", of: world.scratch.path + "/walk.fixes.csv")
    #expect(fixes.contains { $0 < pauses[0] })
    #expect(!fixes.contains { $0 >= pauses[0] && $0 < pauses[1] || $0 >= pauses[2] })
    let gaps = try String(contentsOfFile: world.scratch.path + "/walk.gaps.csv", encoding: .utf8)
    #expect(gaps.contains(",paused"))
    await world.endWithoutComplaints()
  }

  @Test func `a recording paused from start to end becomes a session that lost all its samples`()
    async throws
  {
    let world = try await BoardsWorld()
    let terminal = try PseudoTerminal()
    let program = try world.start(
      ["record", "--gps", "fixed:53.1680,9.9400"], onTerminal: terminal.path, readsTerminal: true)
    try await terminal.text(upTo: "p pauses")
    terminal.press("p")
    try await terminal.text(upTo: " paused)")
    terminal.press("e")
    try await leaveReport(terminal)
    let outcome = await program.wait()
    #expect(outcome.status == 0)
    let session = try await self.session(in: world)
    #expect(try paused(session) > 0)
    let streams = try #require(session["streams"] as? [[String: Any]])
    #expect(streams.allSatisfy { ($0["samples"] as? Int ?? -1) == 0 })
    await world.endWithoutComplaints()
  }

  @Test
  func `if the recorder is killed during a pause, the samples from the pause are counted as lost`()
    async throws
  {
    let world = try await BoardsWorld()
    let terminal = try PseudoTerminal()
    let program = try world.start(["record"], onTerminal: terminal.path, readsTerminal: true)
    try await terminal.text(upTo: "p pauses")
    try await terminal.text(upTo: " saved  0 lost")
    try await terminal.text(upTo: "recording  0:01")
    terminal.press("p")
    try await terminal.text(upTo: "PAUSED     0:05")
    program.signal(SIGKILL)
    _ = await program.wait()
    let session = try await self.session(in: world)
    let streams = try #require(session["streams"] as? [[String: Any]])
    #expect(streams.allSatisfy { ($0["samples"] as? Int ?? 0) > 0 })
    // The recorder updates the tail at least every two seconds.
    #expect(try paused(session) >= UInt64(2 * 100 * streams.count))
    await world.endWithoutComplaints()
  }

  /// Postpones the report that `record` asks for when it ends. Returns the text up to this
  /// question.
  @discardableResult
  private func leaveReport(_ terminal: borrowing PseudoTerminal) async throws -> String {
    let text = try await terminal.text(upTo: "[later]")
    terminal.press("\n")
    return text
  }

  private func session(in world: BoardsWorld) async throws -> [String: Any] {
    let shown = try await world.run("show", "last", "--json")
    return try #require(
      try JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? [String: Any])
  }

  /// Returns the number of samples that a session counts as lost because of a pause.
  private func paused(_ session: [String: Any]) throws -> UInt64 {
    let streams = try #require(session["streams"] as? [[String: Any]])
    return try streams.reduce(0) { sum, stream in
      let lost = try #require(stream["lost"] as? [String: Int])
      return sum + UInt64(lost["paused", default: 0])
    }
  }

  /// Returns the values in a numeric column of a table.
  private static func column(_ name: String, of path: String) throws -> [Double] {
    let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    let place = try #require(rows.first?.firstIndex(of: Substring(name)))
    return rows.dropFirst().compactMap { Double($0[place]) }
  }
}
