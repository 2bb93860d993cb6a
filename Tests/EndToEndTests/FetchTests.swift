import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing

/// A recording that is sent to Firestore and fetched back, as a user would do it.
@Suite(
  .realTime,
  .enabled(if: FirestoreEmulator.isInstalled, FirestoreEmulator.advice))
struct FetchTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  @Test func `a fetched session is identical to the recorded one`() async throws {
    let emulator = try FirestoreEmulator()
    let kept = scratch.path + "/kept"
    let demo = try await run(
      emulator, "demo", "--seconds", "6", "--boards", "2", "--keep", kept, "--json")
    try #require(demo.status == 0, "\(demo.errors)")
    let store = ["--store", kept + "/footbridge.sqlite"]
    for layout in ["compact", "researchers"] {
      let added = try await run(
        emulator,
        [
          "destination", "add", layout, "--firestore", "demo-walk", "--layout", layout,
          "--compress",
        ]
          + store)
      try #require(added.status == 0, "\(added.errors)")
    }
    try await emulator.waitUntilReady()
    let sent = try await run(emulator, ["upload"] + store)
    try #require(sent.status == 0, "\(sent.errors)")

    // A session's description lists the file names, so both exports must use the same names.
    let (here, there) = (scratch.path + "/here/walk", scratch.path + "/there/walk")
    for folder in ["here", "there"] {
      try FileManager.default.createDirectory(
        atPath: "\(scratch.path)/\(folder)", withIntermediateDirectories: true)
    }
    for format in ["csv", "jsonl", "json", "geojson", "gpx"] {
      let exported = try await run(
        emulator, ["export", "last", "--format", format, "--output", "\(here).\(format)"] + store)
      try #require(exported.status == 0, "\(exported.errors)")
      let fetched = try await run(
        emulator,
        ["fetch", "compact", "last", "--format", format, "--output", "\(there).\(format)"] + store)
      #expect(fetched.status == 0, "\(fetched.errors)")
      for name in [format, "session.json", "gaps.csv", "events.csv", "hazards.csv", "fixes.csv"] {
        let original = try Data(contentsOf: URL(filePath: "\(here).\(name)"))
        #expect(try Data(contentsOf: URL(filePath: "\(there).\(name)")) == original, "\(name)")
      }
    }

    // Compares the records for researchers, one per board, with the rows of the board's gyroscope.
    let list = try await run(emulator, ["fetch", "researchers", "--json"] + store)
    struct Entry: Decodable {
      var record: String
      var boards: [String]
      var growing: Bool
    }
    let entries = try JSONDecoder().decode([Entry].self, from: Data(list.output.utf8))
    #expect(entries.count == 2 && !entries.contains(where: \.growing))
    var tables: [String: String] = [:]
    let rows = try String(contentsOfFile: here + ".csv", encoding: .utf8).split(separator: "\n")
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    for entry in entries {
      let fetched = try await run(emulator, ["fetch", "researchers", entry.record] + store)
      #expect(fetched.status == 0, "\(fetched.errors)")
      let wanted = rows.filter { $0[2] == entry.boards[0] && $0[3] == "angular_velocity" }
        .map { row in [0, 4, 5, 6, 8, 9, 10].map { row[$0] }.joined(separator: ",") + "\n" }
      #expect(wanted.count > 200)
      #expect(fetched.output == "time_utc,x,y,z,lat,lon,alt_msl\n" + wanted.joined())
      tables[entry.boards[0]] = fetched.output
    }
    // Without its records, the session looks as if it were still being recorded.
    for entry in entries { try await emulator.delete("records/\(entry.record)", of: "demo-walk") }
    let open = try await run(emulator, ["fetch", "researchers", "--json"] + store)
    let growing = try JSONDecoder().decode([Entry].self, from: Data(open.output.utf8))
    #expect(growing.count == 2 && growing.allSatisfy(\.growing))
    for entry in growing {
      let fetched = try await run(emulator, ["fetch", "researchers", entry.record] + store)
      #expect(fetched.status == 5 && fetched.errors.contains("still growing"), "\(fetched.errors)")
      #expect(fetched.output == tables[entry.boards[0]])
    }
    let shown = try await run(emulator, ["fetch", "researchers"] + store)
    #expect(shown.status == 0 && shown.output.contains("being recorded"), "\(shown)")
    // Both layouts store a session's statistics under the same id.
    let hikes = try await run(emulator, ["fetch", "compact", "--hikes", "--json"] + store)
    #expect(hikes.status == 0 && hikes.errors == "", "\(hikes)")
    struct Hike: Decodable {
      var seconds: Double
      var steps: Int
      var distanceMetres: Double
    }
    let walks = try JSONDecoder().decode([Hike].self, from: Data(hikes.output.utf8))
    #expect(walks.count == 1)
    #expect(try #require(walks.first).seconds > 5)
    let unknown = try await run(emulator, ["fetch", "researchers", "nothing"] + store)
    #expect(unknown.status == 1)
    #expect(unknown.errors.hasPrefix("error: cannot find the record 'nothing'\n"))
  }

  @Test func `documents arrive during a walk, and after its end they form the usual record`()
    async throws
  {
    let emulator = try FirestoreEmulator()
    let world = try await BoardsWorld(boards: 1, ["--gps"])
    let environment = world.environment.merging(emulator.environment) { $1 }
    let added = try await Program.run(
      Program.footbridge,
      ["destination", "add", "cloud", "--firestore", "demo-live", "--layout", "researchers"],
      environment: environment)
    try #require(added.status == 0, "\(added.errors)")
    try await emulator.waitUntilReady()
    // Chunks are sealed after three seconds instead of after 2,000 samples.
    try """
    [board b]
    address = \(world.addresses[0])
    [receiver]
    gps = \(world.receiver ?? "")
    [recording]
    when = always
    seal = 0.05
    [store]
    path = \(world.store)
    [status]
    socket = \(world.scratch.path)/status.sock
    """.write(toFile: world.configuration, atomically: true, encoding: .utf8)
    let gateway = try Program(
      Program.footbridge, ["run", "--config", world.configuration], environment: environment)
    func documents(_ collection: String) async throws -> Int {
      let text = try await emulator.documents(collection + "?pageSize=300", of: "demo-live") ?? ""
      return text.components(separatedBy: "\"createTime\"").count - 1
    }
    try await wait(for: "two documents during the walk") {
      try await documents("realtime_data") >= 2
    }
    #expect(try await documents("records") == 0)
    let list = try await run(emulator, ["fetch", "cloud", "--json", "--store", world.store])
    #expect(list.output.contains("\"growing\":true"), "\(list)")
    gateway.signal(SIGTERM)
    let end = await gateway.wait()
    #expect(end.status == 0, "\(end.errors)")
    let sent = try await run(emulator, ["upload", "--store", world.store])
    #expect(sent.status == 0, "\(sent.errors)")
    #expect(try await documents("records") == 1)
    await world.endWithoutComplaints()
  }

  private func run(_ emulator: FirestoreEmulator, _ arguments: String...) async throws
    -> Program.Outcome
  {
    try await run(emulator, arguments)
  }

  private func run(_ emulator: FirestoreEmulator, _ arguments: [String]) async throws
    -> Program.Outcome
  {
    try await Program.run(
      Program.footbridge, arguments,
      environment: scratch.environment.merging(emulator.environment) { $1 })
  }
}
