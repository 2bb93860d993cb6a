import Foundation
import Recording
import Storage
import TestSupport
import Testing
import UploadProtocol
import Values

/// A laboratory's gateway moves to a fleet while chunks are still in its upload queue.
@Suite(
  .realTime, .enabled(if: PostgresServer.isInstalled, PostgresServer.absence))
struct FleetMoveTests {
  /// Returns a destination's upload counts.
  private func counts(_ store: String, _ name: String) throws -> UploadCounts {
    let reader = try StoreReader(path: store)
    return try reader.uploadCounts(for: try #require(try reader.destination(named: name)))
  }

  @Test
  func `a gateway that moves to a fleet keeps its upload queue, and every byte reaches the fleet`()
    async throws
  {
    let world = try await BoardsWorld(boards: 2)
    let home = world.scratch.path + "/home.sqlite"
    let laboratory = try await ReceiverProgram(into: home, environment: world.scratch.environment)
    let added = try await world.run(
      "destination", "add", "home", "--http", "http://127.0.0.1:\(laboratory.port)")
    try #require(added.status == 0, "\(added.errors)")
    // Chunks of about 0.6 seconds, so that some reach the laboratory and some are still queued.
    let recorder = try world.start(
      "record", "--boards", "2", "--seal", "0.01", "--gps", "fixed:50.08,14.42")
    try await wait(for: "a chunk waits") {
      try #require(recorder.isRunning)
      return try counts(world.store, "home").waitingChunks.count > 0
    }
    let half = try await world.run("upload")
    #expect(half.status == 0, "\(half.errors)")
    try await wait(for: "more chunks wait") {
      try #require(recorder.isRunning)
      return try counts(world.store, "home").waitingChunks.count > 0
    }
    recorder.signal(SIGINT)
    #expect(await recorder.wait().status == 0)
    let left = try counts(world.store, "home")
    #expect(left.sentChunks.count > 0 && left.waitingChunks.count > 0)
    _ = try await laboratory.finish()

    let fleet = try await FleetPlace(world.scratch)
    let token = try await fleet.add("walker-07")
    let reader = try await fleet.add("lab", "--reader")
    let receiver = try await fleet.receiver()
    for words in [
      [
        "destination", "add", "fleet", "--http", "http://127.0.0.1:\(receiver.port)",
        "--token-file", token.file,
      ],
      ["upload", "--destination", "fleet"], ["destination", "remove", "home"],
    ] {
      let outcome = try await world.run(words)
      #expect(outcome.status == 0, "\(words): \(outcome.output)\(outcome.errors)")
    }
    let sent = try counts(world.store, "fleet")
    #expect(sent.waitingChunks.count == 0 && sent.parkedChunks.count == 0)
    #expect(sent.sentChunks.count == left.sentChunks.count + left.waitingChunks.count)

    // Every reader receives exactly the bytes in the gateway's store.
    let here = try StoreReader(path: world.store)
    let session = try #require(try here.sessions().first?.id)
    let record = try #require(try here.record(of: session))
    let connection = try receiver.connect()
    func get(_ path: UploadPath) -> RawConnection.Answer? {
      connection.ask("GET", path.text, fields: [("Authorization", "Bearer \(reader.token)")])
    }
    let chunks = record.streams.flatMap(\.chunks)
    #expect(chunks.count == sent.sentChunks.count)
    for chunk in chunks {
      let answer = get(.chunk(chunk.id))
      #expect(try answer?.body == here.bytes(ofChunk: chunk.id))
    }
    let answer = try #require(get(.session(session)))
    #expect(try SessionRecord(decoding: answer.body) == record)
    await world.endWithoutComplaints()
  }
}
