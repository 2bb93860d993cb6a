import Export
import Foundation
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct GPXExportTests {
  private func read(
    _ source: MemorySource, selection: ExportSelection = ExportSelection()
  ) throws -> [String: Any] {
    var sink = MemorySink()
    let count = try GPXExport(selection: selection).write(source, to: &sink)
    let gpx = try ForeignReader.object(sink.bytes, as: .gpx)
    #expect(try segments(gpx).joined().count == count)
    return gpx
  }

  private func segments(_ gpx: [String: Any]) throws -> [[[String: String]]] {
    try #require(gpx["segments"] as? [[[String: String]]])
  }

  @Test(
    .enabled(
      if: ForeignReader.isEquipped,
      "needs the Python environment that 'bash .ci/setup --tests' makes"))
  func `a GPX export conforms to the GPX schema`() throws {
    var source = MemorySource()
    source.track = [source.fix(1, 50.1, 14.4), source.fix(30, 50.2, 14.5)]
    // Every GPX file in these tests is validated against the schema. This check confirms that the
    // validation took place.
    #expect(try read(source)["schema"] as? Bool == true)
    let broken =
      "<gpx version=\"1.1\" creator=\"x\" xmlns=\"http://www.topografix.com/GPX/1/1\">"
      + "<metadata><time>yesterday</time></metadata></gpx>"
    #expect(throws: ForeignReader.Refusal.self) {
      try ForeignReader.object(Array(broken.utf8), as: .gpx)
    }
  }

  @Test
  func `a GPX point contains its position, time, height above sea level and geoid height`()
    throws
  {
    var source = MemorySource()
    var fix = source.fix(1, 50.0830467, -14.4113883)
    fix.altitudeMSL = 181.256
    fix.geoidSeparation = 44.5
    fix.satellites = 9
    fix.hdop = 0.8
    fix.isThreeDimensional = true
    source.track = [fix]
    let points = try segments(read(source))[0]
    #expect(
      points == [
        [
          "lat": "50.0830467", "lon": "-14.4113883", "ele": "181.26", "geoidheight": "44.50",
          "time": fix.utc.iso8601(decimals: 3), "fix": "3d", "sat": "9", "hdop": "0.80",
        ]
      ])
  }

  @Test func `a value that the receiver did not report is omitted`() throws {
    var source = MemorySource()
    source.track = [source.fix(1, 1, 2)]
    let point = try segments(read(source))[0][0]
    #expect(Set(point.keys) == ["lat", "lon", "time", "fix"])
    #expect(point["fix"] == "2d")
  }

  @Test(
    arguments: [
      (Fix.Quality.differential, "dgps"), (.precise, "pps"), (.realTimeKinematic, "dgps"),
      (.estimated, nil), (.manual, nil), (.simulated, nil),
    ] as [(Fix.Quality, String?)])
  func `the fix type is written as GPX defines it, or omitted`(
    _ quality: Fix.Quality, _ word: String?
  ) throws {
    var source = MemorySource()
    var fix = source.fix(1, 1, 2)
    fix.quality = quality
    source.track = [fix]
    #expect(try segments(read(source))[0][0]["fix"] == word)
  }

  @Test func `a new GPX segment begins after more than ten seconds without a fix`() throws {
    var source = MemorySource()
    source.track = [0, 1, 11, 21.5, 22, 100].map { source.fix($0, $0 / 2, 2) }
    #expect(try segments(read(source)).map(\.count) == [3, 2, 1])
  }

  @Test func `a track across the antimeridian is written as the GPX standard requires`() throws {
    var source = MemorySource()
    source.track = [180, 179.99999996, 179.9999999, -180].map { source.fix(0, 1, $0) }
    #expect(
      try segments(read(source)).joined().map { $0["lon"] }
        == ["-180.0000000", "-180.0000000", "179.9999999", "-180.0000000"])
  }

  @Test func `hazards with a position become waypoints, whatever characters their names contain`()
    throws
  {
    var source = MemorySource()
    let time = source.session.start.advanced(bySeconds: 5)
    source.reportedHazards = [
      Hazard(
        name: "Ice & <snow>\u{1}\r", intensity: 3, time: time,
        utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000),
        position: GeoPosition(latitude: 1.5, longitude: -2.5)),
      Hazard(name: "Slope", intensity: 1, time: time),
    ]
    let gpx = try read(source)
    let waypoints = try #require(gpx["waypoints"] as? [[String: String]])
    #expect(
      waypoints == [
        [
          "lat": "1.5000000", "lon": "-2.5000000", "time": "2026-05-04T09:30:00.000Z",
          "name": "Ice & <snow>\u{fffd}\r", "desc": "intensity 3", "type": "hazard",
        ]
      ])
    #expect(try segments(gpx).isEmpty)
    #expect((gpx["metadata"] as? [String: String])?["desc"] == source.session.note)
  }

  @Test func `a long track is exported completely, or only within a requested time range`() throws {
    var source = MemorySource()
    source.track = (0..<9_001).map { source.fix(Double($0), Double($0) / 1_000, 2) }
    #expect(try segments(read(source))[0].count == 9_001)
    let part = ExportSelection(
      from: source.session.start.advanced(bySeconds: 4_000),
      to: source.session.start.advanced(bySeconds: 4_010))
    #expect(
      try segments(read(source, selection: part))[0].map { $0["lat"] }
        == (4_000..<4_010).map { String(format: "%.7f", Double($0) / 1_000) })
  }
}
