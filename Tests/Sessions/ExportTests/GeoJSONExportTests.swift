import Export
import Foundation
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct GeoJSONExportTests {
  private func feature(_ source: MemorySource) throws -> (
    geometry: [String: Any]?, properties: [String: Any]
  ) {
    var sink = MemorySink()
    let count = try GeoJSONExport().write(source, to: &sink)
    #expect(count == source.track.count)
    let collection = try ForeignReader.object(sink.bytes, as: .geojson)
    let features = try #require(collection["features"] as? [[String: Any]])
    try #require(features.count == 1 + source.reportedHazards.count)
    #expect(features[0]["type"] as? String == "Feature")
    #expect(features[0].keys.contains("geometry"))
    return (
      features[0]["geometry"] as? [String: Any],
      try #require(features[0]["properties"] as? [String: Any])
    )
  }

  private var source: MemorySource {
    var source = MemorySource()
    source.add(MemorySource.acceleration, of: MemorySource.left, offset: 0, counts: [20, 5])
    source.add(MemorySource.quaternion, of: MemorySource.left, offset: 0, counts: [30])
    source.worn = [MemorySource.left.address: "left ankle"]
    source.session.end = source.session.start.advanced(bySeconds: 60)
    return source
  }

  @Test
  func `a track becomes a GeoJSON line of longitude, latitude and height above the ellipsoid`()
    throws
  {
    var source = source
    source.track = (0..<9_001).map { source.fix(Double($0), 50 + Double($0) / 1e5, -14.5) }
    source.track[1].altitudeMSL = 181.25
    source.track[1].geoidSeparation = 44.5
    source.track[2].altitudeMSL = 181.25
    let (geometry, properties) = try feature(source)
    #expect(geometry?["type"] as? String == "LineString")
    let line = try #require(geometry?["coordinates"] as? [[Double]])
    try #require(line.count == 9_001)
    #expect(line[0] == [-14.5, 50])
    #expect(line[1] == [-14.5, 50.00001, 225.75])
    #expect(line[2] == [-14.5, 50.00002])
    #expect(line[9_000] == [-14.5, 50.09])
    let times = try #require(properties["coordTimes"] as? [String])
    try #require(times.count == 9_001)
    #expect(times[0] == source.track[0].utc.iso8601(decimals: 3))
    #expect(times[9_000] == source.track[9_000].utc.iso8601(decimals: 3))
  }

  @Test func `the properties of a GeoJSON track describe the recording`() throws {
    var source = source
    source.track = [source.fix(0, 1, 2), source.fix(1, 1, 2)]
    source.clock = [
      ClockTable.Entry(
        boot: source.session.start,
        utc: UTCTime(year: 2026, month: 5, day: 4, nanosecondOfDay: 0), source: .synchronised)
    ]
    let properties = try feature(source).properties
    #expect(properties["session"] as? String == source.session.id.description)
    #expect(properties["note"] as? String == source.session.note)
    #expect(properties["start"] as? String == "2026-05-04T00:00:00.000Z")
    #expect(properties["end"] as? String == "2026-05-04T00:01:00.000Z")
    let boards = try #require(properties["boards"] as? [[String: String]])
    #expect(
      boards == [
        [
          "address": "C8:4B:AA:97:50:05", "name": "left \"L\"", "model": "MetaMotion S",
          "firmware": "1.7.2", "placement": "left ankle",
        ]
      ])
    let streams = try #require(properties["streams"] as? [[String: Any]])
    #expect(streams.map { $0["signal"] as? String } == ["acceleration", "quaternion"])
    #expect(streams.map { $0["samples"] as? Int } == [25, 30])
    #expect(
      streams.map { $0["axes"] as? [String] } == [["x", "y", "z"], ["x", "y", "z", "w"]])
    #expect(streams.map { $0["rate"] as? Double } == [100, 50])
    #expect(streams.map { $0["boardClock"] as? Bool } == [false, false])
  }

  @Test func `a track with a single fix becomes a GeoJSON point`() throws {
    var source = source
    source.track = [source.fix(0, 1.5, -2.5)]
    let (geometry, properties) = try feature(source)
    #expect(geometry?["type"] as? String == "Point")
    #expect(geometry?["coordinates"] as? [Double] == [-2.5, 1.5])
    #expect((properties["coordTimes"] as? [String])?.count == 1)
  }

  @Test func `without a fix the GeoJSON geometry is null, and unknown times are null`() throws {
    let (geometry, properties) = try feature(source)
    #expect(geometry == nil)
    #expect((properties["coordTimes"] as? [String])?.isEmpty == true)
    #expect(properties["start"] is NSNull)
    #expect(properties["end"] is NSNull)
  }

  @Test
  func `a hazard becomes a GeoJSON point after the track, without geometry if it has no position`()
    throws
  {
    var source = source
    let time = source.session.start.advanced(bySeconds: 5)
    source.reportedHazards = [
      Hazard(
        name: "Uneven \"Surface\"", intensity: 3, time: time,
        utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000),
        position: GeoPosition(latitude: 1.5, longitude: -2.5)),
      Hazard(name: "Slope", intensity: 0, time: time),
    ]
    _ = try feature(source)
    var sink = MemorySink()
    try GeoJSONExport().write(source, to: &sink)
    let collection = try ForeignReader.object(sink.bytes, as: .geojson)
    let features = try #require(collection["features"] as? [[String: Any]])
    let geometry = features[1]["geometry"] as? [String: Any]
    #expect(geometry?["coordinates"] as? [Double] == [-2.5, 1.5])
    let properties = try #require(features[1]["properties"] as? [String: Any])
    #expect(properties["hazard"] as? String == "Uneven \"Surface\"")
    #expect(properties["intensity"] as? Int == 3)
    #expect(properties["time"] as? String == "2026-05-04T09:30:00.000000Z")
    #expect(properties["seconds"] as? Double == 5)
    #expect(features[2]["geometry"] is NSNull)
    #expect((features[2]["properties"] as? [String: Any])?["time"] is NSNull)
  }
}
