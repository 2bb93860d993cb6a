import ChunkFormat
import Export
import Foundation
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct JSONExportTests {
  private var source: MemorySource {
    var source = MemorySource()
    var acceleration = MemorySource.acceleration
    acceleration.range = 2
    source.add(acceleration, of: MemorySource.left, offset: 1_700, counts: [200, 150])
    source.add(MemorySource.angles, of: MemorySource.right, offset: 0, counts: [100])
    let utc = UTCTime(year: 2026, month: 5, day: 4, nanosecondOfDay: 0)
    source.clock = [ClockTable.Entry(boot: source.session.start, utc: utc, source: .satellites)]
    var precise = source.fix(0.5, 50.0830467, -14.4113883)
    precise.altitudeMSL = 181.256
    source.track = [precise, source.fix(1.5, 51, 0)]
    return source
  }

  private func lines(_ source: MemorySource) throws -> [[String: Any]] {
    var sink = MemorySink()
    var nowhere = NoSink()
    let totals = try JSONExport().writeLines(source, to: &sink, gaps: &nowhere)
    let lines = try ForeignReader.lines(sink.bytes)
    #expect(totals.rows == lines.count)
    return lines
  }

  @Test func `every line of JSON is an object with the same values as the CSV row`() throws {
    let source = source
    let lines = try lines(source)
    var sink = MemorySink()
    _ = try CSVExport().write(source, to: &sink)
    let rows = try ForeignReader.table(sink.bytes)
    try #require(lines.count == rows.count)
    for (line, row) in zip(lines, rows) {
      #expect(line["time"] as? String == row["time_utc"])
      #expect(line["seconds"] as? Double == row["seconds"].flatMap { Double($0) })
      #expect(line["board"] as? String == row["board"])
      #expect(line["signal"] as? String == row["signal"])
      #expect(line["name"] as? String == row["name"])
      #expect(line["unit"] as? String == row["unit"])
      #expect(line["range"] as? Double == row["range"].flatMap { Double($0) })
      #expect(line["range"] is NSNull == (row["range"] == ""))
      let axes = row["signal"] == "euler" ? ["pitch", "roll"] : ["x", "y", "z"]
      let values = try #require(line["values"] as? [String: Any])
      #expect(Set(values.keys) == Set(axes))
      for (axis, column) in zip(axes, ["x", "y", "z"]) {
        let number = row[column].flatMap { Double($0) }
        #expect(values[axis] as? Double == number)
        #expect(values[axis] is NSNull == (number == nil))
      }
      let position = line["position"] as? [String: Any]
      #expect(position?["lat"] as? Double == row["lat"].flatMap { Double($0) })
      #expect(position?["lon"] as? Double == row["lon"].flatMap { Double($0) })
      #expect(position?["alt_msl"] as? Double == row["alt_msl"].flatMap { Double($0) })
      #expect(
        position?["quality"] as? String == row["fix_quality"].flatMap { $0.isEmpty ? nil : $0 })
      #expect(position?["age"] as? Double == row["fix_age"].flatMap { Double($0) })
      #expect(line["position"] is NSNull == (position == nil))
      #expect((position?["method"] ?? line["no_position"]) as? String == row["fix_method"])
      #expect(position?["error"] as? Double == row["fix_error"].flatMap { Double($0) })
      #expect(line["time_source"] as? String == row["time_source"])
      #expect(
        line["board_seconds"] as? Double == row["board_seconds"].flatMap { Double($0) })
    }
    #expect(lines.contains { $0["position"] is NSNull })
    #expect(lines.contains { $0["board_seconds"] != nil })
  }

  @Test func `a JSON line contains the board's name, the unit and the sample's number`() throws {
    let lines = try lines(source).filter { $0["signal"] as? String == "acceleration" }
    #expect(lines.allSatisfy { $0["name"] as? String == "left \"L\"" })
    #expect(lines.allSatisfy { $0["unit"] as? String == "g" })
    #expect(lines.map { $0["number"] as? Int } == (0..<350).map { $0 })
  }

  @Test func `an unknown value is written as null`() throws {
    var source = source
    source.clock = []
    source.track = []
    let lines = try lines(source)
    #expect(lines.allSatisfy { $0["time"] is NSNull && $0["position"] is NSNull })
  }

  @Test func `a JSON document contains the session, its gaps, and the same samples as JSON lines`()
    throws
  {
    var source = source
    source.session.gateway = "van"
    source.session.wearer = "P07"
    source.reportedHazards = [
      Hazard(
        name: "Slippery", intensity: 2, time: source.session.start.advanced(bySeconds: 1),
        position: GeoPosition(latitude: 50, longitude: 14))
    ]
    source.remarks = [
      Annotation(time: source.session.start.advanced(bySeconds: 2), text: "at the \"gate\"")
    ]
    source.chunks[0][1].gaps = [
      Gap(
        start: source.session.start, end: source.session.start.advanced(bySeconds: 0.25), lost: 7,
        isEstimate: true, reason: .disconnected)
    ]
    let lines = try lines(source)
    var sink = MemorySink()
    var gapSink = MemorySink()
    let totals = try JSONExport().writeDocument(source, to: &sink, gaps: &gapSink)
    let document = try ForeignReader.object(sink.bytes, as: .json)
    #expect(totals.rows == 450)
    #expect(document["session"] as? String == source.session.id.description)
    #expect(document["gateway"] as? String == "van")
    #expect(document["wearer"] as? String == "P07")
    #expect(document["start"] as? String == "2026-05-04T00:00:00.000000Z")
    #expect(document["missingChunks"] as? Int == 0)
    let samples = try #require(document["samples"] as? [[String: Any]])
    #expect(NSArray(array: samples) == NSArray(array: lines))
    let hazard = try #require((document["hazards"] as? [[String: Any]])?.first)
    #expect(hazard["name"] as? String == "Slippery")
    #expect(hazard["intensity"] as? Int == 2)
    #expect(hazard["seconds"] as? Double == 1)
    #expect(hazard["lat"] as? Double == 50)
    let annotation = try #require((document["annotations"] as? [[String: Any]])?.first)
    #expect(annotation["text"] as? String == "at the \"gate\"")
    let gaps = try #require(document["gaps"] as? [[String: Any]])
    try #require(gaps.count == 1)
    #expect(gaps[0]["name"] as? String == "left \"L\"")
    #expect(gaps[0]["reason"] as? String == "disconnected")
    #expect(gaps[0]["lost"] as? Int == 7)
    #expect(gaps[0]["isEstimate"] as? Bool == true)
    #expect((gaps[0]["end"] as? [String: Any])?["seconds"] as? Double == 0.25)
    #expect(try ForeignReader.table(gapSink.bytes).count == 1)
  }

  @Test func `a session without samples is also exported as a JSON document`() throws {
    var sink = MemorySink()
    var nowhere = NoSink()
    _ = try JSONExport().writeDocument(MemorySource(), to: &sink, gaps: &nowhere)
    let document = try ForeignReader.object(sink.bytes, as: .json)
    #expect((document["samples"] as? [Any])?.isEmpty == true)
    #expect((document["gaps"] as? [Any])?.isEmpty == true)
  }
}
