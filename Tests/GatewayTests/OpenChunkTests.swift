import BoardDriver
import DiskFaults
@testable import Gateway
import LinuxSystem
import Recording
import RingBuffer
import Storage
import TestSupport
import Testing
import Values

/// Reports on samples in chunks that have not been stored yet.
@Suite(.realTime) struct OpenChunkTests {
  private static let identity = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "", firmware: "")
  private static let stream = StreamDescription(
    signal: "acceleration", unit: "g", countsPerUnit: 1, rate: 1_000, lossAccounting: .counted)

  /// Creates a recorder that has read the given number of samples and written them to the tail.
  private static func record(
    _ count: Int, into path: String
  ) async throws -> (recorder: RecorderThread, session: Session) {
    let readings = Ring<Reading>.make(capacity: 1 << 14)
    let positions = Ring<PositionReport>.make(capacity: 1 << 4)
    let recorder = try RecorderThread(
      readings: readings.consumer, positions: positions.consumer, onFirstSample: { _ in },
      onFailure: { _ in })
    let session = Session(bootID: try BootClock.bootID(), start: BootClock.now(), note: "")
    _ = try await recorder.open(.store(path), for: session)
    await recorder.addBoard(0, identity, [stream])
    var producer = readings.producer
    for number in 0..<count {
      let arrival = session.start.advanced(bySeconds: Double(number) / stream.rate)
      _ = producer.push(
        Reading(board: 0, stream: 0, arrival: arrival, counter: UInt32(number)))
    }
    recorder.bell.ring()
    try await wait(for: "the tail holds the open chunk") {
      try StoreTail(store: path).chunks.reduce(0) { $0 + $1.count } >= count % Chunk.capacity
    }
    return (recorder, session)
  }

  @Test func `a running session is shown together with the samples in its tail`() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path + "/store"
    let (recorder, session) = try await Self.record(300, into: path)
    let summary = try SessionSummary(of: session, in: path)
    #expect(summary.isBeingRecorded)
    let stream = try #require(summary.streams.first)
    #expect(stream.samples == 300)
    #expect(stream.chunks.isEmpty && stream.missingChunks == 0)
    #expect(abs(summary.seconds - 0.299) < 0.001)
    _ = await recorder.finish()
    let stored = try #require(try StoreReader(path: path).sessions().first)
    let after = try SessionSummary(of: stored, in: path)
    #expect(after.streams.first?.samples == 300 && after.streams.first?.chunks.count == 1)
  }

  @Test func `samples that a failing disk rejects stay in the tail and are reported as held`()
    async throws
  {
    let disk = try SimulatedDisk()
    let path = disk.path + "/store"
    let (recorder, session) = try await Self.record(300, into: path)
    disk.fail()
    let totals = await recorder.finish()
    let recorded = try #require(totals.streams.first)
    #expect(totals.failure != nil)
    #expect(recorded.held == 300 && recorded.stored == 0 && recorded.lost.isEmpty)
    disk.heal()
    try Store.open(path: path).close()
    let reader = try StoreReader(path: path)
    #expect(try reader.streams(of: session.id).first?.sampleCount == 300)
    withExtendedLifetime(disk) {}
  }

  @Test func `if the disk fails while boards are being stopped, no received sample is lost`()
    async throws
  {
    let disk = try SimulatedDisk()
    let path = disk.path + "/store"
    let (recorder, session) = try await Self.record(300, into: path)
    recorder.noteStop(reason: "the disk is full")
    disk.fail()
    // The boards take so long to stop that the tail is updated once more before they have stopped.
    try await wait(for: "the tail goes on without samples") {
      try SessionSummary(of: session, in: path).seconds > 2
    }
    _ = await recorder.finish()
    disk.heal()
    let summary = try SessionSummary(of: session, in: path)
    #expect(summary.streams.first?.samples == 300 && summary.streams.first?.lost.isEmpty == true)
    try Store.open(path: path).close()
    let stored = try #require(try StoreReader(path: path).sessions().first)
    let after = try SessionSummary(of: stored, in: path)
    #expect(after.streams.first?.samples == 300 && after.streams.first?.lost.isEmpty == true)
    #expect(after.events.contains { $0.kind == .stopping && $0.text == "the disk is full" })
    withExtendedLifetime(disk) {}
  }

  @Test func `the tail contains clock values even for a stream with one sample per second`() {
    var slow = Self.stream
    slow.rate = 1
    let session = Session(
      bootID: UniqueID(high: 1, low: 1), start: BootTime(nanoseconds: 0), note: "")
    var stream = RecordedStream(board: 0, Self.identity, slow, session: session)
    var clocks: [Chunk.Clock] = []
    for number in 0..<5 {
      // In this test, no tail group begins exactly at a new sample of the stream.
      let arrival = BootTime(nanoseconds: 1_000_000_000 + Int64(number) * 1_000_000_000)
      _ = stream.append(
        Reading(board: 0, stream: 0, arrival: arrival, counter: UInt32(number)))
      let now = arrival.advanced(bySeconds: number.isMultiple(of: 2) ? 0.1 : 0.2)
      clocks += [stream.newPiece(at: now, beginsGroup: false)?.clock].compactMap(\.self)
    }
    #expect(clocks.count >= 3)
  }
}
