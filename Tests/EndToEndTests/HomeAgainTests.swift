import Foundation
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// The complete path of a recording, from the boards through the gateway and a destination to the
/// export.
@Suite(.realTime) struct HomeAgainTests {
  /// Returns a destination's upload counts.
  private func counts(_ store: String, _ name: String) throws -> UploadCounts {
    let reader = try StoreReader(path: store)
    return try reader.uploadCounts(for: try #require(try reader.destination(named: name)))
  }

  @Test
  func `an upload during a recording loses no samples, and the receiver's export is identical`()
    async throws
  {
    let world = try await BoardsWorld(boards: 2)
    let home = world.scratch.path + "/home.sqlite"
    let receiver = try await ReceiverProgram(into: home, environment: world.scratch.environment)
    let added = try await world.run(
      "destination", "add", "home", "--http", "http://127.0.0.1:\(receiver.port)")
    #expect(added.status == 0, "\(added.errors)")
    // Chunks of about 0.6 seconds, so that some can be sent during the recording.
    let recorder = try world.start(
      "record", "--boards", "2", "--seal", "0.01", "--gps", "fixed:50.08,14.42")
    var sent = 0
    for _ in 0..<3 {
      try await wait(for: "a chunk waits") {
        try #require(recorder.isRunning)
        return try counts(world.store, "home").waitingChunks.count > 0
      }
      let upload = try await world.run(["upload"])
      #expect(upload.status == 0, "\(upload.errors)")
      #expect(!upload.output.contains("complete"), "\(upload.output)")
      let now = try counts(world.store, "home").sentChunks.count
      #expect(now > sent)
      sent = now
    }
    #expect(recorder.isRunning)
    recorder.signal(SIGINT)
    let recorded = await recorder.wait()
    #expect(recorded.status == 0, "\(recorded.errors)")
    try await world.scratch.annotate(world.store)
    let last = try await world.run(["upload"])
    #expect(last.status == 0 && last.output.contains("1 session complete"), "\(last.output)")
    let again = try await world.run("upload")
    #expect(again.output == "home: 0 chunks (0 B) sent\n", "\(again.output)")
    let outcome = try await receiver.finish()
    let left = try counts(world.store, "home")
    #expect(left.waitingChunks.count == 0 && left.parkedChunks.count == 0)
    #expect(outcome["chunks"]?.integer == left.sentChunks.count && left.sentChunks.count > sent)

    // No samples were lost before they reached the store, either. Both stores contain the same
    // bytes for every chunk.
    let here = try StoreReader(path: world.store)
    let there = try StoreReader(path: home)
    let session = try #require(try here.sessions().first?.id)
    let record = try #require(try here.record(of: session))
    #expect(try there.record(of: session) == record)
    let chunks = record.streams.flatMap(\.chunks)
    #expect(chunks.count == left.sentChunks.count)
    #expect(chunks.reduce(0) { $0 + $1.lostCount } == 0)
    for chunk in chunks {
      #expect(try there.bytes(ofChunk: chunk.id) == here.bytes(ofChunk: chunk.id))
    }
    try await world.scratch.expectSameExports(["--store", world.store], ["--store", home])
    await world.endWithoutComplaints()
  }

  @Test
  func `a destination folder is exported like the store, even after the folder has been moved`()
    async throws
  {
    let scratch = try Scratch()
    let store = try await scratch.recordDemo()
    func run(_ arguments: String...) async throws -> Program.Outcome {
      try await Program.run(
        Program.footbridge, arguments,
        environment: scratch.environment.merging(["FOOTBRIDGE_STORE": store]) { $1 })
    }
    let stick = scratch.path + "/stick"
    try FileManager.default.createDirectory(atPath: stick, withIntermediateDirectories: false)
    let added = try await run("destination", "add", "stick", "--folder", stick)
    #expect(added.status == 0, "\(added.errors)")
    let tested = try await run("destination", "test", "stick")
    #expect(tested.status == 0, "\(tested.errors)")
    let sent = try await run("upload")
    #expect(sent.status == 0 && sent.output.contains("1 session complete"), "\(sent.errors)")
    #expect(try counts(store, "stick").waitingChunks.count == 0)
    try await scratch.expectSameExports(["--store", store], ["--folder", stick])
    // The export does not depend on the folder's path.
    let elsewhere = scratch.path + "/elsewhere"
    try FileManager.default.moveItem(atPath: stick, toPath: elsewhere)
    try await scratch.expectSameExports(["--store", store], ["--folder", elsewhere])
    // The upload detects that the USB stick is missing, and does not create a folder at its mount
    // point.
    _ = try await run("annotate", "last", "a gate")
    let away = try await run("upload")
    #expect(away.status == 7, "\(away.output)\(away.errors)")
    #expect(!FileManager.default.fileExists(atPath: stick))
  }

  @Test func `a token appears in no output or command line, only in its own file`() async throws {
    let secret = "wombat-7731"
    var world = try UploadStore()
    try world.record(chunks: 60, samples: 400)
    let scratch = try Scratch()
    let file = scratch.path + "/token"
    func write(_ token: String) throws {
      try Data((token + "\n").utf8).write(to: URL(filePath: file))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }
    try write(secret)
    let home = scratch.path + "/home.sqlite"
    let receiver = try await ReceiverProgram(
      into: home, "--token-file", file, environment: scratch.environment)

    /// Command lines and environments of running programs, and their output.
    var traces: [(String, Data)] = []
    func look(at id: Int32) {
      for name in ["cmdline", "environ"] {
        let content = FileManager.default.contents(atPath: "/proc/\(id)/\(name)") ?? Data()
        if !content.isEmpty { traces.append(("\(name) of \(id)", content)) }
      }
    }
    func run(_ arguments: String...) async throws -> Program.Outcome {
      let program = try Program(
        Program.footbridge, arguments,
        environment: scratch.environment.merging(
          ["FOOTBRIDGE_STORE": world.path, "no_proxy": "*"]) { $1 })
      repeat {
        look(at: program.id)
        try await Task.sleep(for: .milliseconds(100))
      } while program.isRunning
      let outcome = await program.wait()
      traces.append((arguments.joined(separator: " "), Data(outcome.output.utf8)))
      traces.append((arguments.joined(separator: " "), Data(outcome.errors.utf8)))
      return outcome
    }
    let url = "http://127.0.0.1:\(receiver.port)"
    // The upload is slow enough for the test to inspect the program while it runs.
    let added = try await run(
      "destination", "add", "home", "--http", url, "--token-file", file, "--limit", "40")
    #expect(added.status == 0, "\(added.errors)")
    let tested = try await run("destination", "test", "home")
    #expect(tested.status == 0, "\(tested.errors)")
    // The secret is invalid: the server has read its own secret and rejects this one.
    try write(secret + "-wrong")
    let rejected = try await run("destination", "test", "home")
    #expect(rejected.status == 7, "\(rejected.output)")
    let unsent = try await run("upload", "--verbose")
    #expect(unsent.status == 7, "\(unsent.output)")
    try write(secret)
    let before = traces.count
    let sent = try await run("upload", "--verbose")
    #expect(sent.status == 0, "\(sent.errors)")
    #expect(traces.count > before + 2, "it was not seen while it ran")
    _ = try await run("uploads", "--json")
    _ = try await run("destination", "list", "--json")
    look(at: receiver.program.id)
    receiver.program.signal(SIGTERM)
    let received = await receiver.program.wait()
    traces.append(("the receiver", Data((received.output + received.errors).utf8)))
    #expect(try StoreReader(path: home).sessions().count == 1)
    for folder in [world.folder.path, scratch.path] {
      let names = try #require(FileManager.default.enumerator(atPath: folder))
      for case let name as String in names where folder + "/" + name != file {
        guard let content = FileManager.default.contents(atPath: folder + "/" + name) else {
          continue
        }
        traces.append((name, content))
      }
    }
    #expect(traces.contains { $0.0 == "store.sqlite" } && traces.contains { $0.0 == "home.sqlite" })
    for (name, content) in traces {
      #expect(content.range(of: Data("wombat".utf8)) == nil, "\(name)")
    }
  }
}
