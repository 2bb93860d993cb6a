import ChunkFormat
import Export
import Foundation
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct GapTableTests {
  private func gaps(
    _ source: MemorySource, _ selection: ExportSelection = ExportSelection()
  ) throws -> [[String: String]] {
    var sink = MemorySink()
    var gaps = MemorySink()
    let totals = try CSVExport(selection: selection).write(source, to: &sink, gaps: &gaps)
    let rows = try ForeignReader.table(gaps.bytes)
    #expect(totals.streams.reduce(0) { $0 + $1.gaps } == rows.count)
    return rows
  }

  private var source: MemorySource {
    var source = MemorySource()
    source.add(
      MemorySource.acceleration, of: MemorySource.left, offset: 0,
      counts: [100, 100, 100, 100, 100])
    return source
  }

  @Test func `a recorded gap becomes a row with its reason, its start and its end`() throws {
    var source = source
    let start = source.session.start
    source.clock = [
      ClockTable.Entry(
        boot: start, utc: UTCTime(year: 2026, month: 5, day: 4, nanosecondOfDay: 0),
        source: .satellites)
    ]
    source.chunks[0][2].gaps = [
      Gap(
        start: start.advanced(bySeconds: 1.99), end: start.advanced(bySeconds: 2.5), lost: 50,
        isEstimate: false, reason: .link)
    ]
    #expect(
      try gaps(source) == [
        [
          "board": "C8:4B:AA:97:50:05", "signal": "acceleration", "reason": "link",
          "start_utc": "2026-05-04T00:00:01.990000Z", "start_seconds": "1.990000",
          "end_utc": "2026-05-04T00:00:02.500000Z", "end_seconds": "2.500000", "lost": "50",
          "is_estimate": "false", "detail": "", "name": "left \"L\"",
        ]
      ])
    let before = ExportSelection(to: start.advanced(bySeconds: 1))
    #expect(try gaps(source, before).isEmpty)
    let after = ExportSelection(from: start.advanced(bySeconds: 2.2))
    #expect(try gaps(source, after).count == 1)
  }

  @Test func `a stream's total loss in an export is the sum of the losses in its gaps`() throws {
    var source = source
    let start = source.session.start
    func gap(_ lost: UInt64, isEstimate: Bool) -> Gap {
      Gap(
        start: start.advanced(bySeconds: 1.99), end: start.advanced(bySeconds: 2), lost: lost,
        isEstimate: isEstimate, reason: isEstimate ? .disconnected : .link)
    }
    func told() throws -> ExportTotals.Stream {
      var sink = NoSink()
      return try #require(try CSVExport().write(source, to: &sink).streams.first)
    }
    // The stream has a counter, but the board cannot count while its link is down.
    #expect(try told().lossCertainty == .counted)
    source.chunks[0][2].gaps = [gap(40, isEstimate: true)]
    #expect(try told().lossCertainty == .estimated)
    source.chunks[0][3].gaps = [gap(2, isEstimate: false)]
    #expect(try told().lossCertainty == .partlyEstimated)
    #expect(try told().lost == 42 && told().estimatedLoss == 40)
    // In a damaged chunk, the numbers in a gap may have any value.
    source.chunks[0][4].gaps = [gap(.max, isEstimate: false)]
    #expect(try told().lost == .max)
  }

  @Test func `missing and damaged chunks become one gap between the neighbouring samples`() throws {
    var source = source
    source.replaced[source.chunks[0][1].id] = []
    source.chunks[0].remove(at: 2)
    let rows = try gaps(source)
    try #require(rows.count == 1)
    #expect(rows[0]["reason"] == "chunks")
    #expect(rows[0]["start_seconds"] == "0.990000")
    #expect(rows[0]["end_seconds"] == "3.000000")
    #expect(rows[0]["lost"] == "200")
    #expect(rows[0]["is_estimate"] == "true")
    #expect(rows[0]["detail"]?.hasPrefix("chunk 1: ") == true)
    #expect(rows[0]["detail"]?.hasSuffix("; chunk 2: not in the store") == true)
  }

  @Test func `unknown times and losses at either end of a stream are left empty`() throws {
    var source = source
    source.chunks[0].removeFirst()
    source.replaced[source.chunks[0][3].id] = [0]
    let rows = try gaps(source)
    try #require(rows.count == 2)
    #expect(rows[0]["start_seconds"] == "" && rows[0]["end_seconds"] == "1.000000")
    #expect(rows[0]["lost"] == "")
    #expect(rows[1]["start_seconds"] == "3.990000" && rows[1]["end_seconds"] == "")
    // The store knows how many samples the chunk contained.
    #expect(rows[1]["lost"] == "100")
  }

  @Test
  func `samples in missing chunks at either end of a stream are counted if their number is known`()
    throws
  {
    var source = source
    source.described[0].lastSequence = 4
    source.chunks[0].removeFirst()
    source.chunks[0].removeLast()
    source.gone = [0: [0: 100, 4: 137]]
    #expect(try gaps(source).map { $0["lost"] } == ["100", "137"])
    source.chunks[0] = []
    source.gone = [0: [0: 100, 1: 1, 4: .max]]
    #expect(try gaps(source).map { $0["lost"] } == [String(UInt64.max)])
  }

  @Test func `the gap after a missing chunk is counted only once`() throws {
    var source = source
    for chunk in 2...4 {
      for row in source.chunks[0][chunk].counters.indices {
        source.chunks[0][chunk].counters[row] += 40
      }
    }
    let first = source.chunks[0][2].arrivals[0]
    source.chunks[0][2].gaps = [
      Gap(
        start: first.advanced(bySeconds: -0.4), end: first, lost: 40, isEstimate: false,
        reason: .link)
    ]
    source.chunks[0].remove(at: 1)
    let rows = try gaps(source)
    #expect(rows.map { $0["reason"] } == ["chunks", "link"])
    #expect(rows.map { $0["lost"] } == ["100", "40"])
  }

  @Test func `a missing last chunk is also reported, but not beyond the requested time range`()
    throws
  {
    var source = source
    source.described[0].lastSequence = 4
    source.chunks[0].removeLast()
    let rows = try gaps(source)
    try #require(rows.map { $0["detail"] } == ["chunk 4: not in the store"])
    #expect(rows[0]["start_seconds"] == "3.990000" && rows[0]["end_seconds"] == "")
    let early = ExportSelection(to: source.session.start.advanced(bySeconds: 2))
    #expect(try gaps(source, early).isEmpty)
    source.described[0].lastSequence = 3
    #expect(try gaps(source).isEmpty)
    source.chunks[0] = []
    #expect(try gaps(source).map { $0["detail"] } == ["chunks 0 to 3: not in the store"])
  }

  @Test func `a stream that cannot be read becomes one gap`() throws {
    var source = source
    for chunk in source.chunks[0] { source.replaced[chunk.id] = [] }
    let rows = try gaps(source)
    #expect(rows.map { $0["lost"] } == ["500"])
  }

  @Test func `a large number of gaps is written in order`() throws {
    var source = source
    let start = source.session.start
    source.chunks[0][4].gaps = (0..<5_000).map {
      Gap(
        start: start, end: start.advanced(bySeconds: Double($0)), lost: 1, isEstimate: true,
        reason: .link)
    }
    #expect(try gaps(source).map { $0["end_seconds"] }.last == "4999.000000")
    var sink = MemorySink()
    var nowhere = NoSink()
    _ = try JSONExport().writeDocument(source, to: &sink, gaps: &nowhere)
    let document = try ForeignReader.object(sink.bytes, as: .json)
    #expect((document["gaps"] as? [Any])?.count == 5_000)
  }
}
