@testable import Web
import Foundation
import LinuxSystem
import TestSupport
import Testing
import Values

/// Routes from GeoJSON files.
@Suite(.computation) struct RouteTests {
  private func routes(_ text: String) throws -> [Route] {
    try Route.parse(Array(text.utf8), "routes.geojson")
  }

  @Test func `lines are read from all features, and other geometries are skipped`() throws {
    let read = try routes(
      #"""
      {"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"name": "River", "difficulty": "easy"},
         "geometry": {"type": "LineString", "coordinates": [[8.5, 47.25], [8.75, 47.5, 412]]}},
        {"type": "Feature", "properties": {"difficulty": 3},
         "geometry": {"type": "MultiLineString", "coordinates": [[[0, 1], [0, 2]], [[5, 5]]]}},
        {"type": "Feature", "properties": null, "geometry": {"type": "Point", "coordinates": [0, 1]}},
        {"type": "Feature", "geometry": null}]}
      """#)
    #expect(read.map(\.name) == ["River", ""] && read.map(\.difficulty) == ["easy", "3"])
    #expect(
      read[0].lines == [
        [.init(latitude: 47.25, longitude: 8.5), .init(latitude: 47.5, longitude: 8.75)]
      ])
    #expect(read[1].lines.map(\.count) == [2])
    #expect(
      read[1].json.text == #"{"name":"","difficulty":"3","lines":[[[1,0],[2,0]]]}"#)
  }

  @Test func `a single feature or a bare line is a valid route`() throws {
    let line = #"{"type": "LineString", "coordinates": [[0, 1], [0, 2]]}"#
    #expect(try routes(line).count == 1)
    #expect(try routes(#"{"type": "Feature", "geometry": \#(line)}"#).count == 1)
  }

  @Test(arguments: [
    ("", "invalid JSON"), ("[]", "the file contains no line"),
    (#"{"type": "LineString", "coordinates": [[47, 8], [8, 91]]}"#, "is not [longitude, latitude]"),
    (#"{"type": "LineString", "coordinates": [[1, 2], ["a", 3]]}"#, "is not [longitude, latitude]"),
    (#"{"type": "LineString", "coordinates": [[1, 2]]}"#, "the file contains no line"),
  ])
  func `a file without usable lines is rejected with the reason`(
    _ text: String, _ reason: String
  ) throws {
    let fault = #expect(throws: Route.Fault.self) { try routes(text) }
    #expect(fault?.message.hasPrefix("cannot use the routes in routes.geojson: ") == true)
    #expect(fault?.message.contains(reason) == true, "\(String(describing: fault))")
  }

  @Test func `control characters in a name are replaced, and long names are truncated`() throws {
    let name = #"a\u001b[2J"# + String(repeating: "x", count: 200)
    let read = try routes(
      #"{"type": "Feature", "properties": {"name": "\#(name)"}, "geometry": "#
        + #"{"type": "LineString", "coordinates": [[0, 1], [0, 2]]}}"#)
    #expect(read[0].name.hasPrefix("a\u{fffd}[2J") && read[0].name.count == 100)
  }

  @Test func `a missing file and a file that is too large are reported`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/routes.geojson"
    let missing = #expect(throws: Route.Fault.self) { try Route.read(path) }
    #expect(missing?.message == "\(path) does not exist")
    try Data(repeating: 0x20, count: 5 << 20).write(to: URL(filePath: path))
    #expect(throws: Route.Fault.self) { try Route.read(path) }
  }
}
