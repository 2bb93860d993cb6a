import LinuxSystem
import MapTiles
import TestSupport
import Testing

/// The example of the library's documentation.
@Suite(.computation) struct ExampleTests {
  @Test func `the example of MapTiles runs`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/trail.mbtiles"
    try MadeMap().write(path)
    let map = try MapTiles(path)
    let zooms = map.facts.zooms
    let tile = try map.tile(zoom: 3, x: 4, y: 2)
    #expect(zooms == 1...3)
    #expect(tile?.format == .png)
  }
}
