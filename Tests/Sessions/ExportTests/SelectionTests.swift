import ChunkFormat
import Export
import Foundation
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct SelectionTests {
  private var source: MemorySource {
    var source = MemorySource()
    source.add(
      MemorySource.acceleration, of: MemorySource.left, offset: 0, counts: [200, 200, 200])
    source.add(MemorySource.quaternion, of: MemorySource.left, offset: 0, counts: [100, 200])
    source.add(MemorySource.acceleration, of: MemorySource.right, offset: 0, counts: [600])
    return source
  }

  private func rows(
    _ source: MemorySource, _ selection: ExportSelection
  ) throws -> [[String: String]] {
    var sink = MemorySink()
    _ = try CSVExport(selection: selection).write(source, to: &sink)
    return try ForeignReader.table(sink.bytes)
  }

  @Test func `only the requested boards and signals are exported`() throws {
    let all = try rows(source, ExportSelection())
    let left = MemorySource.left.address
    #expect(
      try rows(source, ExportSelection(boards: [left]))
        == all.filter { $0["board"] == left.description })
    #expect(
      try rows(source, ExportSelection(signals: ["quaternion"]))
        == all.filter { $0["signal"] == "quaternion" })
    #expect(
      try rows(source, ExportSelection(boards: [left], signals: ["acceleration"])).count == 600)
    #expect(try rows(source, ExportSelection(boards: [])).isEmpty)
  }

  @Test func `adjacent time ranges together contain every sample exactly once`() throws {
    let source = source
    let all = try rows(source, ExportSelection())
    // Bounds at samples, between samples, inside chunks and at chunk boundaries.
    let bounds = [nil, 0.5, 1.995, 2, 2.004, 4, 5.99].map { seconds in
      seconds.map { source.session.start.advanced(bySeconds: $0) }
    }
    var pieces: [[String: String]] = []
    for (index, from) in bounds.enumerated() {
      let to = index + 1 < bounds.count ? bounds[index + 1] : nil
      pieces += try rows(source, ExportSelection(from: from, to: to))
    }
    #expect(pieces == all)
    let piece = try rows(source, ExportSelection(from: bounds[2], to: bounds[3]))
    #expect(piece.allSatisfy { $0["seconds"] == "1.995000" } && piece.isEmpty)
  }

  @Test func `chunks outside the time range are not read`() throws {
    final class Count: @unchecked Sendable { var value = 0 }
    struct Counted: SessionSource {
      let whole: MemorySource
      let count = Count()
      var session: Session { whole.session }
      func streams() -> [SourceStream] { whole.streams() }
      func chunk(ofStream position: Int, after sequence: UInt32?) throws -> SourceChunk? {
        count.value += 1
        return whole.chunk(ofStream: position, after: sequence)
      }
      func sequence(ofStream position: Int, before time: BootTime) -> UInt32? {
        whole.chunks[position].last { $0.clock.first <= time }.flatMap {
          $0.sequence > 0 ? $0.sequence - 1 : nil
        }
      }
      func fixes(from first: Int, limit: Int) -> [Fix] { [] }
      func clockEntries() -> [ClockTable.Entry] { [] }
    }
    var whole = MemorySource()
    whole.add(
      MemorySource.acceleration, of: MemorySource.left, offset: 0,
      counts: Array(repeating: 100, count: 50))
    let source = Counted(whole: whole)
    let start = whole.session.start
    let selection = ExportSelection(
      from: start.advanced(bySeconds: 20.5), to: start.advanced(bySeconds: 22.5))
    var sink = MemorySink()
    let totals = try CSVExport(selection: selection).write(source, to: &sink)
    #expect(totals.rows == 200)
    #expect(totals.isWhole)
    #expect(source.count.value == 4)
  }

  @Test func `the exported track is also limited to the requested time range`() throws {
    var source = source
    source.track = (0..<10).map { source.fix(Double($0), Double($0), 2) }
    source.reportedHazards = [2.5, 7.5].map {
      Hazard(
        name: "Slope", intensity: 1, time: source.session.start.advanced(bySeconds: $0),
        position: GeoPosition(latitude: 1, longitude: 2))
    }
    let selection = ExportSelection(
      boards: [MemorySource.right.address], from: source.session.start.advanced(bySeconds: 2),
      to: source.session.start.advanced(bySeconds: 5))
    var sink = MemorySink()
    #expect(try GeoJSONExport(selection: selection).write(source, to: &sink) == 3)
    let collection = try ForeignReader.object(sink.bytes, as: .geojson)
    let features = try #require(collection["features"] as? [[String: Any]])
    try #require(features.count == 2)
    let line = features[0]["geometry"] as? [String: Any]
    #expect((line?["coordinates"] as? [[Double]])?.map { $0[1] } == [2, 3, 4])
    let properties = features[0]["properties"] as? [String: Any]
    #expect((properties?["streams"] as? [[String: Any]])?.count == 1)
  }
}
