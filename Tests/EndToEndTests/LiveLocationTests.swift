import Foundation
import LinuxSystem
import TestSupport
import Testing

/// `record --live-location`, which lets other people follow the recording's position.
@Suite(.realTime) struct LiveLocationTests {
  @Test(.enabled(if: FirestoreEmulator.isInstalled, FirestoreEmulator.advice))
  func `a recording's position is visible until the recording ends`() async throws {
    let emulator = try FirestoreEmulator()
    let world = try await BoardsWorld()
    let environment = world.environment.merging(emulator.environment) { $1 }
    let added = try await Program.run(
      Program.footbridge, ["destination", "add", "map", "--firestore", "demo-map"],
      environment: environment)
    try #require(added.status == 0, "\(added.errors)")
    try await emulator.waitUntilReady()
    let recording = try Program(
      Program.footbridge, ["record", "--gps", "fixed:48.25,16.5", "--live-location", "map"],
      environment: environment)
    var place: String?
    try await wait(for: "the place is published") {
      place = try await emulator.documents("locations", of: "demo-map")
      return place?.contains("48.25") == true
    }
    let text = try #require(place)
    for name in ["user_id", "gateway", "longitude", "fix_time", "updated_at", "expires_at"] {
      #expect(text.contains("\"\(name)\""), "\(name)")
    }
    #expect(!text.contains("session_id"), "a reader of the place learns no session's name")
    recording.signal(SIGINT)
    let outcome = await recording.wait()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let after = try #require(try await emulator.documents("locations", of: "demo-map"))
    #expect(!after.contains("48.25"), "the place is removed at the end")
  }

  @Test func `a position that cannot be published is reported, and the recording continues`()
    async throws
  {
    let world = try await BoardsWorld()
    let closed = try TCPListener().port
    let environment = world.environment.merging([
      "FIRESTORE_EMULATOR_HOST": "127.0.0.1:\(closed)", "no_proxy": "*",
    ]) { $1 }
    let added = try await Program.run(
      Program.footbridge, ["destination", "add", "map", "--firestore", "demo-map"],
      environment: environment)
    try #require(added.status == 0, "\(added.errors)")
    let outcome = try await Program.run(
      Program.footbridge,
      ["record", "--seconds", "4", "--gps", "fixed:48.25,16.5", "--live-location", "map"],
      environment: environment)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("event=\"place not published\""), "\(outcome.errors)")
    let alone = try await Program.run(
      Program.footbridge, ["record", "--seconds", "1", "--live-location", "map"],
      environment: environment)
    #expect(alone.status == 2)
    #expect(alone.errors.hasPrefix("error: '--live-location' needs a position source\n"))
  }
}
