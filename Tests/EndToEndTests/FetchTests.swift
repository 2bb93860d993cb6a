import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing

/// A recording on its way into Firestore and back, as a person sends and fetches it.
@Suite(
  .enabled(
    if: FirestoreEmulator.isInstalled,
    "SKIPPED: Firestore's emulator is not installed (package google-cloud-cli-firestore-emulator)"))
struct FetchTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  @Test func `what is fetched is what was recorded`() async throws {
    let port = try TCPListener().port
    let nowhere = try OwnedDescriptor.open("/dev/null", flags: O_WRONLY)
    let emulator = try ChildProcess(
      "java",
      [
        "-Xmx256m", "-Duser.language=en", "-cp", FirestoreEmulator.jar,
        "com.google.cloud.datastore.emulator.firestore.CloudFirestore", "start",
        "--host=127.0.0.1", "--port=\(port)",
      ], inheriting: [(nowhere.number, 1), (nowhere.number, 2)])
    defer { emulator.kill() }
    let kept = scratch.path + "/kept"
    let demo = try await run(
      port, "demo", "--seconds", "6", "--boards", "2", "--keep", kept, "--json")
    try #require(demo.status == 0, "\(demo.errors)")
    let store = ["--store", kept + "/footbridge.sqlite"]
    for layout in ["compact", "researchers"] {
      let added = try await run(
        port,
        [
          "destination", "add", layout, "--firestore", "demo-walk", "--layout", layout,
          "--compress",
        ]
          + store)
      try #require(added.status == 0, "\(added.errors)")
    }
    // The emulator takes a moment to begin.
    let limit = BootClock.now().advanced(bySeconds: 120)
    while try await run(port, ["destination", "test", "compact"] + store).status != 0 {
      try #require(BootClock.now() < limit, "the emulator does not answer")
    }
    let sent = try await run(port, ["upload"] + store)
    try #require(sent.status == 0, "\(sent.errors)")

    let (here, there) = (scratch.path + "/here", scratch.path + "/there")
    for format in ["csv", "jsonl", "json", "geojson", "gpx"] {
      let exported = try await run(
        port, ["export", "last", "--format", format, "--output", "\(here).\(format)"] + store)
      try #require(exported.status == 0, "\(exported.errors)")
      let fetched = try await run(
        port,
        ["fetch", "compact", "last", "--format", format, "--output", "\(there).\(format)"] + store)
      #expect(fetched.status == 0, "\(fetched.errors)")
      for name in [format, "session.json", "gaps.csv", "events.csv", "hazards.csv", "fixes.csv"] {
        let original = try Data(contentsOf: URL(filePath: "\(here).\(name)"))
        #expect(try Data(contentsOf: URL(filePath: "\(there).\(name)")) == original, "\(name)")
      }
    }

    // The researchers' records, one for each board, against the rows of its gyroscope.
    let list = try await run(port, ["fetch", "researchers", "--json"] + store)
    struct Entry: Decodable {
      var record: String
      var boards: [String]
    }
    let entries = try JSONDecoder().decode([Entry].self, from: Data(list.output.utf8))
    #expect(entries.count == 2)
    let rows = try String(contentsOfFile: here + ".csv", encoding: .utf8).split(separator: "\n")
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    for entry in entries {
      let fetched = try await run(port, ["fetch", "researchers", entry.record] + store)
      #expect(fetched.status == 0, "\(fetched.errors)")
      let wanted = rows.filter { $0[2] == entry.boards[0] && $0[3] == "angular_velocity" }
        .map { row in [0, 4, 5, 6, 8, 9, 10].map { row[$0] }.joined(separator: ",") + "\n" }
      #expect(wanted.count > 200)
      #expect(fetched.output == "time_utc,x,y,z,lat,lon,alt_msl\n" + wanted.joined())
    }
    let unknown = try await run(port, ["fetch", "researchers", "nothing"] + store)
    #expect(unknown.status == 1)
    #expect(unknown.errors.hasPrefix("error: there is no record 'nothing'\n"))
  }

  private func run(_ port: UInt16, _ arguments: String...) async throws -> Program.Outcome {
    try await run(port, arguments)
  }

  private func run(_ port: UInt16, _ arguments: [String]) async throws -> Program.Outcome {
    try await Program.run(
      Program.footbridge, arguments,
      environment: scratch.environment.merging([
        "FIRESTORE_EMULATOR_HOST": "127.0.0.1:\(port)", "no_proxy": "*",
      ]) { $1 }, within: 300)
  }
}

private enum FirestoreEmulator {
  static let jar =
    "/usr/lib/google-cloud-sdk/platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"
  static let isInstalled = FileManager.default.fileExists(atPath: jar)
}
