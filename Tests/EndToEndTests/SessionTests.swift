import Foundation
import LinuxSystem
import TestSupport
import Testing

/// Sessions as users manage them in the field: annotated, viewed, interrupted, copied and deleted.
@Suite(.realTime) struct SessionTests {
  private let world: BoardsWorld

  init() async throws {
    world = try await BoardsWorld()
  }

  private func list(_ text: String) throws -> [[String: Any]] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
  }

  private func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test func `a session is annotated and copied, then interrupted, recovered and deleted`()
    async throws
  {
    let paired = try await world.run(
      "pair", world.addresses[0], "--name", "left", "--placement", "left wrist")
    #expect(paired.status == 0, "\(paired.errors)")
    let recording = try world.start(
      "record", "--board", "left", "--note", "over the bridge", "--hazard", "slip=2",
      "--wearer", "Anna", "--gateway", "van")
    #expect(await recording.remarks { $0.contains("event=streaming") })

    // Notes are added while the recorder runs.
    let reported = try await world.run("hazard", "last", "poor=1", "slip=3", "--json")
    #expect(reported.status == 0, "\(reported.errors)")
    let annotated = try await world.run("annotate", "last", "stopped")
    #expect(annotated.status == 0, "\(annotated.errors)")
    let copy = world.scratch.path + "/copy"
    let copied = try await world.run("store", "backup", copy, "--json")
    #expect(copied.status == 0, "\(copied.errors)")
    #expect(try object(copied.output)["file"] as? String == copy)
    #expect(try await world.run("store", "check").status == 0)
    let listed = try list(try await world.run("sessions", "--json").output)
    #expect(listed.map { $0["ended"] as? String } == ["recording"])
    let refused = try await world.run("delete", "last", "--yes")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("is being recorded\n       stop the recording first"))

    recording.signal(SIGKILL)
    _ = await recording.wait()
    #expect(
      try list(try await world.run("sessions", "--json").output).first?["ended"] as? String
        == "cut off")
    let again = try await world.run("record", "--board", "left", "--seconds", "1")
    #expect(again.status == 0, "\(again.errors)")
    let sessions = try list(try await world.run("sessions", "--json").output)
    try #require(sessions.map { $0["ended"] as? String } == ["recovered", "closed"])
    #expect(sessions[0]["wearer"] as? String == "Anna")
    #expect(sessions[0]["gateway"] as? String == "van")
    #expect(sessions[0]["note"] as? String == "over the bridge")
    #expect(sessions[1]["gateway"] as? String != "")

    let id = try #require(sessions[0]["session"] as? String)
    let shown = try object(try await world.run("show", id, "--json").output)
    let hazards = try #require(shown["hazards"] as? [[String: Any]])
    let intensities = hazards.map { "\($0["name"] ?? "")=\($0["intensity"] ?? "")" }
    #expect(Set(intensities) == ["Slippery=3", "Poor Lighting=1"])
    let boards = try #require(shown["boards"] as? [[String: Any]])
    #expect(boards.map { $0["placement"] as? String } == ["left wrist"])
    let remarks = try #require(shown["annotations"] as? [[String: Any]])
    #expect(remarks.map { $0["text"] as? String } == ["stopped"])

    // Nobody replies to the confirmation prompt.
    let unanswered = try await world.run("delete", id)
    #expect(unanswered.status == 1)
    #expect(unanswered.errors.contains("Delete it? [yes/no]\nerror: session "))
    let deleted = try await world.run("delete", id, "--yes")
    #expect(deleted.status == 0, "\(deleted.errors)")
    #expect(try list(try await world.run("sessions", "--json").output).count == 1)
    // The copy still contains the session.
    let kept = try await world.run("show", id, "--store", copy)
    #expect(kept.status == 0, "\(kept.errors)")
    await world.endWithoutComplaints()
  }

  @Test func `a session interrupted by a crash is deleted together with its tail`()
    async throws
  {
    let recording = try world.start("record")
    #expect(await recording.remarks { $0.contains("event=streaming") })
    let folder = URL(fileURLWithPath: world.store).deletingLastPathComponent().path
    func files() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("-tail") }
    }
    // The stream descriptions are much shorter than this. The bytes before the final zeros must
    // therefore include samples.
    func hasSamples() throws -> Bool {
      try files().contains { name in
        let bytes = try WholeFile.read(folder + "/" + name) ?? []
        return bytes.lastIndex { $0 != 0 } ?? 0 > 4_000
      }
    }
    try await wait(for: "the tail has samples") { try hasSamples() }
    recording.signal(SIGKILL)
    _ = await recording.wait()
    #expect(try !files().isEmpty)
    // Every reader of the store also sees the tail beside it.
    let seen = try list(try await world.run("sessions", "--json").output)
    try #require(seen.map { $0["ended"] as? String } == ["cut off"])
    #expect(seen[0]["samples"] as? Int ?? 0 > 0)
    #expect(try files() == [])
    let deleted = try await world.run("delete", "last", "--yes")
    #expect(deleted.status == 0, "\(deleted.errors)")
    #expect(try files() == [])
    let again = try await world.run("record", "--seconds", "1")
    #expect(again.status == 0, "\(again.errors)")
    #expect(
      try list(try await world.run("sessions", "--json").output).map { $0["ended"] as? String }
        == ["closed"])
    await world.endWithoutComplaints()
  }

  @Test func `the reply to a confirmation prompt can be read from standard input`() async throws {
    let recorded = try await world.run("record", "--seconds", "1")
    #expect(recorded.status == 0, "\(recorded.errors)")
    for (answer, count) in [("no", 1), ("Yes", 0)] {
      let outcome = try await Program.run(
        "/bin/sh", ["-c", "echo \(answer) | \"$0\" delete last", Program.footbridge],
        environment: world.environment)
      #expect(outcome.status == Int32(count), "\(outcome.errors)")
      #expect(try list(try await world.run("sessions", "--json").output).count == count)
    }
    await world.endWithoutComplaints()
  }
}
