import Foundation
import LinuxSystem
import Web
import TestSupport
import Testing

@Suite(.computation) struct MapFileTests {
  @Test func `a map may come, go, and come back as another`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/trail.mbtiles"
    var file = MapFile(path)
    #expect(throws: TileError.self) { try file.facts() }
    try MadeMap().write(path)
    #expect(try file.facts().name == "Trail")
    #expect(try file.tile(zoom: 1, x: 0, y: 0) != nil)
    try FileManager.default.removeItem(atPath: path)
    #expect(throws: TileError.self) { try file.tile(zoom: 1, x: 0, y: 0) }
    try MadeMap(metadata: ["name": "Hill"]).write(path)
    #expect(try file.facts().name == "Hill")
  }

  @Test func `a map truncated while open gives an error, and works again once restored`()
    throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path + "/trail.mbtiles"
    try MadeMap().write(path)
    let whole = try Data(contentsOf: URL(filePath: path))
    var file = MapFile(path)
    _ = try file.facts()
    // As when a stick fails: the same file, but nothing to read in it.
    _ = try OwnedDescriptor.create(path)
    #expect(throws: TileError.self) { try file.tile(zoom: 3, x: 4, y: 2) }
    try whole.write(to: URL(filePath: path))
    #expect(throws: Never.self) { _ = try file.tile(zoom: 3, x: 4, y: 2) }
  }

  @Test func `an overwritten map is read again`() throws {
    let folder = try TemporaryFolder()
    let (path, other) = (folder.path + "/trail.mbtiles", folder.path + "/other.mbtiles")
    try MadeMap().write(path)
    try MadeMap(metadata: ["name": "Hill"]).write(other)
    var file = MapFile(path)
    #expect(try file.facts().name == "Trail")
    // As cp does: into the same file.
    let bytes = try Data(contentsOf: URL(filePath: other))
    try FileHandle(forWritingTo: URL(filePath: path)).write(contentsOf: bytes)
    #expect(try file.facts().name == "Hill")
  }
}
