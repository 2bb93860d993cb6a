import Export
import LinuxSystem
import Recording
import TestSupport
import Testing
import Storage
import Values

@Suite(.computation) struct ExampleTests {
  @Test func `the example for Export runs`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/walk.csv"
    var session = MemorySource()
    session.add(MemorySource.acceleration, of: MemorySource.right, offset: 0, counts: [50])
    var file = try OutputFile(path: path)
    let totals = try CSVExport().write(session, to: &file)
    try file.commit()
    let lines = try #require(WholeFile.text(path)).split(separator: "\n")
    #expect(totals.rows == 50)
    #expect(lines.count == 51)
    #expect(lines.first?.hasPrefix(CSVExport.header) == true)
  }
}

@Suite(.computation) struct EnvelopeExampleTests {
  @Test func `the example for envelopes runs`() {
    var envelope = Envelope(ColumnGrid(from: 0, to: 10, columns: 5), axes: 1)
    envelope.add([0.5], at: 2.5)
    envelope.add([-1.25], at: 3.9)
    let range = envelope.range(ofAxis: 0, inColumn: 1)
    #expect(range == -1.25...0.5)
    #expect((0..<5).filter { envelope.hasValues(inColumn: $0) } == [1])
  }

  @Test func `the example for SessionEnvelope runs`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/store.sqlite"
    let (session, board) = (SampleChunk.session, SampleChunk.make(0).board)
    var store = try SampleChunk.store(path)
    try store.commit(chunks: [SampleChunk.make(0)], fixes: [], clock: [])
    let tail = try StoreTail(store: path)
    let reader = try StoreReader(path: path)
    var cache = EnvelopeCache(store: path)
    let question = SessionEnvelope(
      session: session.id, board: board.address, signal: "acceleration",
      from: 0, to: 60, columns: 600)
    let envelope = try question.read(from: reader, tail: tail, cache: &cache)
    // Ten samples 10 ms apart, the first with the raw values 0, 1 and 2.
    #expect(envelope?.range(ofAxis: 0, inColumn: 0) == 0...63.0 / 16_384)
    #expect(envelope?.hasValues(inColumn: 1) == false)
  }

  @Test func `the example for live columns runs`() {
    var live = LiveColumns(streams: 1)
    live.add(SIMD4(0.5, -1, 0, 0), at: 7.02, stream: 0)
    live.add(SIMD4(0.25, 1, 0, 0), at: 7.08, stream: 0)
    live.advance(to: 7.1)
    let columns = live.columns(ofStream: 0, after: 0)
    #expect(columns.map(\.end) == [7.1])
    #expect(columns.first?.range(ofAxis: 0) == 0.25...0.5)
    #expect(columns.first?.range(ofAxis: 1) == -1...1)
  }
}
