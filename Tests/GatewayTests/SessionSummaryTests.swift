import Gateway
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// The summary of a stored session, and the number of chunks that are read to compute it.
@Suite(.computation) struct SessionSummaryTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }
  private let session = SampleChunk.session

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Records a session with the given number of chunks. The board's clock is 0.1 % fast, and
  /// samples are lost before some of the chunks.
  private func record(_ count: UInt32) throws -> Session {
    var store = try SampleChunk.store(path)
    let chunks = (0..<count).map { sequence in
      var chunk = SampleChunk.make(sequence)
      chunk.clock.period = 9_990_000
      if sequence % 50 == 7 {
        chunk.gaps = [
          Gap(
            start: chunk.arrivals[0], end: chunk.arrivals[1], lost: 3, isEstimate: false,
            reason: .link),
          Gap(
            start: chunk.arrivals[1], end: chunk.arrivals[2], lost: 40, isEstimate: true,
            reason: .disconnected),
        ]
      }
      return chunk
    }
    try store.commit(chunks: chunks, fixes: [], clock: [])
    try store.end(
      session: session.id, at: session.start.advanced(bySeconds: 90), SessionStatistics())
    try store.close()
    return try #require(try StoreReader(path: path).sessions().first)
  }

  @Test func `each task counts only its own samples, losses and duration`() throws {
    var store = try SampleChunk.store(path)
    var chunks = (0..<UInt32(500)).map { SampleChunk.make($0) }
    let start = session.start
    // The gap lasts one second and contains 100 lost samples. Three quarters of it lie within the
    // task.
    chunks[101].gaps = [
      Gap(
        start: start.advanced(bySeconds: 9.25), end: start.advanced(bySeconds: 10.25), lost: 100,
        isEstimate: false, reason: .link)
    ]
    try store.commit(chunks: chunks, fixes: [], clock: [])
    try store.end(
      session: session.id, at: start.advanced(bySeconds: 90), SessionStatistics())
    try store.close()
    for (change, seconds) in [
      (TaskChange.begin("tug"), 9.5), (.end(nil, stoppedBecause: nil), 11.5),
      (.skip("stairs", because: "rain"), 12), (.begin("walk"), 40),
    ] {
      try TaskReport.note(change, in: session.id, at: start.advanced(bySeconds: seconds), path)
    }
    let stored = try #require(try StoreReader(path: path).sessions().first)
    let summary = try SessionSummary(of: stored, in: path)
    #expect(summary.tasks.map(\.turn.task) == ["tug", "stairs", "walk"])
    #expect(summary.tasks.map(\.turn.outcome) == [.done, .skipped, .unfinished])
    // The sample exactly at the end of the first task does not belong to the task.
    #expect(summary.tasks.map(\.samples) == [200, 0, 1_000])
    #expect(summary.tasks.map(\.lost) == [75, 0, 0])
    #expect(summary.tasks.map(\.statistics.elapsed) == [2, 0, 50])
    #expect((summary.streams.first?.chunks.count { $0.bytes != nil } ?? 500) < 200)
  }

  @Test func `a summary of a long session reads only a few of its chunks`() throws {
    let stored = try record(500)
    let summary = try SessionSummary(of: stored, in: path)
    let stream = try #require(summary.streams.first)
    #expect(stream.chunks.count == 500)
    // The summary reads a few of the chunks in between, and the last one.
    #expect(stream.chunks.count { $0.bytes != nil } <= 40)
    #expect(stream.samples == 5_000)
    #expect(stream.lost == [.link: 30, .disconnected: 400])
    #expect(stream.estimatedLoss == 400)
    #expect(stream.lossCertainty == .partlyEstimated)

    let all = try SessionSummary(of: stored, in: path, readingAll: true)
    let whole = try #require(all.streams.first)
    #expect(whole.chunks.allSatisfy { $0.bytes != nil })
    #expect(whole.samples == stream.samples && whole.lost == stream.lost)
    #expect(whole.achievedRate == stream.achievedRate)
    let drift = try #require(stream.drift)
    #expect(abs(drift - 1_001) < 1)
    #expect(abs(drift - (whole.drift ?? 0)) < 0.001)
  }

  @Test func `no drift is reported for a session that is too short for a measurement`() throws {
    var store = try Store.open(path: path)
    try store.begin(session)
    let chunk = SampleChunk.make(0)
    try store.addBoard(chunk.board, session: session.id)
    try store.addStream(chunk.stream, board: chunk.board.address, session: session.id)
    try store.commit(chunks: [chunk], fixes: [], clock: [])
    try store.close()
    let summary = try SessionSummary(of: session, in: path)
    #expect(summary.streams.map(\.drift) == [nil])
    #expect(summary.streams.first?.achievedRate != nil)
  }
}
