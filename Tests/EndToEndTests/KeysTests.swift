import Foundation
import LinuxSystem
import TestSupport
import Testing

/// Keys pressed on a terminal while the program shows a view.
@Suite(.realTime) struct KeysTests {
  @Test func `hazards and notes that keys enter are in the session, and e ends it`() async throws {
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
    try await terminal.text(upTo: "Enter keeps it")
    terminal.press("Brücke")
    try await terminal.text(upTo: "note: Brücke_")
    terminal.press("\r")
    try await terminal.text(upTo: "note kept at ")
    terminal.press("e")
    try await terminal.text(upTo: "Session ")
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
}
