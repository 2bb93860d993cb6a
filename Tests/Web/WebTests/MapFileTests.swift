import Foundation
import LinuxSystem
import Web
import TestSupport
import Testing

@Suite(.computation) struct MapFileTests {
  @Test func `a map file may appear, disappear, or be replaced by another file`() throws {
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

  @Test
  func `a map truncated while open causes an error, and can be used again once it is restored`()
    throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path + "/trail.mbtiles"
    try MadeMap().write(path)
    let whole = try Data(contentsOf: URL(filePath: path))
    var file = MapFile(path)
    _ = try file.facts()
    // The same happens if a USB stick fails: the file exists, but its content cannot be read.
    _ = try OwnedDescriptor.create(path)
    #expect(throws: TileError.self) { try file.tile(zoom: 3, x: 4, y: 2) }
    try whole.write(to: URL(filePath: path))
    #expect(throws: Never.self) { _ = try file.tile(zoom: 3, x: 4, y: 2) }
  }

  @Test func `a map that was overwritten is read again`() throws {
    let folder = try TemporaryFolder()
    let (path, other) = (folder.path + "/trail.mbtiles", folder.path + "/other.mbtiles")
    try MadeMap().write(path)
    try MadeMap(metadata: ["name": "Hill"]).write(other)
    var file = MapFile(path)
    #expect(try file.facts().name == "Trail")
    // The file is overwritten in place, as cp does.
    let bytes = try Data(contentsOf: URL(filePath: other))
    try FileHandle(forWritingTo: URL(filePath: path)).write(contentsOf: bytes)
    #expect(try file.facts().name == "Hill")
  }
}
