import Foundation
import LinuxSystem
import Web
import TestSupport
import Testing
import Values

@Suite(.computation) struct MapTilesTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/trail.mbtiles"
  }

  /// Returns the error for a map that is rejected, or `nil` if the map can be opened.
  private func refusal() -> TileError? {
    do throws(TileError) {
      _ = try MapTiles(path)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [MadeMap.tables, MadeMap.views])
  func `tiles are found by column and row, with rows counted from the north`(_ schema: String)
    throws
  {
    try MadeMap(schema: schema).write(path)
    let map = try MapTiles(path)
    #expect(try map.tile(zoom: 1, x: 0, y: 0)?.bytes == MadeMap.png)
    #expect(try map.tile(zoom: 3, x: 4, y: 2)?.bytes == MadeMap.png + [7])
    #expect(try map.tile(zoom: 3, x: 4, y: 5) == nil)
    #expect(try map.tile(zoom: 2, x: 0, y: 0) == nil)
  }

  @Test func `there are no tiles outside the map's area and zoom levels`() throws {
    try MadeMap().write(path)
    let map = try MapTiles(path)
    for (zoom, x, y) in [
      (-1, 0, 0), (0, 0, 0), (4, 0, 0), (63, 0, 0), (64, 0, 0), (.max, 0, 0), (.min, 0, 0),
      (1, -1, 0), (1, 2, 0), (1, 0, -1), (1, 0, 2), (1, .max, .min),
    ] {
      #expect(try map.tile(zoom: zoom, x: x, y: y) == nil)
    }
  }

  @Test func `the page receives the map's metadata`() throws {
    try MadeMap().write(path)
    let map = try MapTiles(path)
    #expect(
      map.facts.json.text
        == #"{"name":"Trail","minzoom":1,"maxzoom":3,"attribution":"© OpenStreetMap","#
        + #""bounds":[-5.5,50,6.25,55.5]}"#)
  }

  @Test
  func `without metadata, a map has the zoom levels of its tiles and no bounds`()
    throws
  {
    try MadeMap(metadata: [:]).write(path)
    let map = try MapTiles(path)
    #expect(map.facts.zooms == 1...3)
    #expect(map.facts.bounds == nil)
    #expect(map.facts.name.isEmpty)
  }

  @Test(arguments: [
    "", "1,2,3", "1,2,3,4,5", "a,b,c,d", "nan,0,1,1", "0,0,inf,1", "1,0,0,1", "0,1,1,0",
    "-181,0,1,1", "0,-91,1,1", "0,0,181,1", "0,0,1,91", ",,,", "1,,2,3,4",
  ])
  func `a map's impossible bounds are omitted`(_ bounds: String) throws {
    try MadeMap(metadata: ["bounds": bounds]).write(path)
    let map = try MapTiles(path)
    #expect(map.facts.bounds == nil)
  }

  @Test(arguments: [
    ("<script>alert(1)</script>", "alert(1)"), ("a <b", "a "),
    ("&lt;img src=x&gt;", "&lt;img src=x&gt;"),
    ("&copy; A &amp; B", "© A & B"), ("a\u{1b}[2J\n\u{202e}b", "a[2Jb"), ("a > b", "a  b"),
    (String(repeating: "x", count: 9_000), String(repeating: "x", count: 500)),
  ])
  func `a map's attribution is converted to plain text`(_ given: String, _ shown: String)
    throws
  {
    try MadeMap(metadata: ["attribution": given]).write(path)
    let map = try MapTiles(path)
    #expect(map.facts.attribution == shown)
  }

  @Test(
    arguments: [
      ([0xff, 0xd8, 0xff, 0xe0], "image/jpeg"),
      (Array("RIFF\u{4}\0\0\0WEBPVP8 ".utf8), "image/webp"),
      (MadeMap.png, "image/png"),
    ] as [([UInt8], String)])
  func `a tile's type is determined by its bytes`(_ bytes: [UInt8], _ type: String) throws {
    try MadeMap(tiles: [.init(zoom: 1, column: 0, row: 0): bytes]).write(path)
    let map = try MapTiles(path)
    #expect(try map.tile(zoom: 1, x: 0, y: 1)?.format.contentType == type)
  }

  @Test(arguments: [
    Array("<svg onload=alert(1)>".utf8), [0x1f, 0x8b, 8, 0], [], [0x89],
    MadeMap.png + [UInt8](repeating: 0, count: 3 << 20),
    MadeMap.png + [UInt8](repeating: 0, count: 5 << 20),
  ])
  func `a tile that is not an image or is too large is rejected, but other tiles are returned`(
    _ bytes: [UInt8]
  )
    throws
  {
    try MadeMap(tiles: [
      .init(zoom: 1, column: 0, row: 0): bytes, .init(zoom: 1, column: 0, row: 1): MadeMap.png,
    ]).write(path)
    let map = try MapTiles(path)
    do throws(TileError) {
      let tile = try map.tile(zoom: 1, x: 0, y: 1)
      Issue.record("a tile of \(tile?.bytes.count ?? 0) bytes")
    } catch {
      // The largest tile exceeds the size that SQLite returns from an untrusted file.
      #expect(error.kind == (bytes.count > 4 << 20 ? .unusable : .badTile))
    }
    #expect(try map.tile(zoom: 1, x: 0, y: 0) != nil)
  }

  @Test func `the error for vector tiles suggests a remedy`() throws {
    try MadeMap(metadata: ["format": "pbf"]).write(path)
    let refusal = try #require(self.refusal())
    #expect(refusal.kind == .unsupported)
    #expect(
      refusal.words == """
        \(path) contains vector tiles (pbf), which the page cannot draw
               make a raster map, for example with QGIS: 'Generate XYZ tiles (MBTiles)' \
        with the format PNG
        """)
    try FileManager.default.removeItem(atPath: path)
    try MadeMap(metadata: ["format": "exe"]).write(path)
    #expect(self.refusal()?.kind == .unsupported)
  }

  @Test func `a file that is not a map is rejected`() throws {
    #expect(refusal()?.kind == .away)
    for bytes in [Data(), Data("SQLite".utf8), Data(repeating: 7, count: 100_000)] {
      try bytes.write(to: URL(filePath: path))
      #expect(refusal()?.kind == .unusable)
    }
    try FileManager.default.removeItem(atPath: path)
    // A database without the tables, and a map without tiles.
    try MadeMap(schema: "CREATE TABLE a (b)", metadata: [:], tiles: [:]).write(path)
    #expect(refusal()?.message == "\(path) is not an MBTiles file")
    try FileManager.default.removeItem(atPath: path)
    try MadeMap(tiles: [:]).write(path)
    #expect(refusal()?.message == "\(path) contains no tiles")
  }

  @Test func `a folder or a pipe at a map's path is rejected at once`() throws {
    try Folder.make(path)
    #expect(refusal() != nil)
    try FileManager.default.removeItem(atPath: path)
    _ = try OwnedDescriptor.openPipe(path)
    #expect(refusal()?.kind == .unusable)
  }

  @Test func `a truncated map causes no crash, and each error has a remedy`() throws {
    let whole = folder.path + "/whole.mbtiles"
    try MadeMap(schema: MadeMap.views).write(whole)
    let bytes = try Data(contentsOf: URL(filePath: whole))
    for count in stride(from: 0, to: bytes.count, by: 509) {
      try bytes.prefix(count).write(to: URL(filePath: path))
      do throws(TileError) {
        let map = try MapTiles(path)
        _ = try map.tile(zoom: 3, x: 4, y: 2)
      } catch {
        #expect(!error.remedy.isEmpty)
      }
    }
  }

  @Test func `a map with random bytes causes no crash, and each error has a remedy`() throws {
    let seed: UInt64 = 4_711
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let whole = folder.path + "/whole.mbtiles"
    try MadeMap(schema: MadeMap.views).write(whole)
    let bytes = try Data(contentsOf: URL(filePath: whole))
    for _ in 0..<300 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...40, using: &generator) {
        let place = Int.random(in: 16..<damaged.count, using: &generator)
        damaged[place] = UInt8.random(in: .min ... .max, using: &generator)
      }
      try damaged.write(to: URL(filePath: path))
      do throws(TileError) {
        let map = try MapTiles(path)
        _ = try map.tile(zoom: 3, x: 4, y: 2)
        _ = try map.tile(zoom: 1, x: 0, y: 0)
      } catch {
        #expect(!error.remedy.isEmpty)
      }
    }
  }

  @Test func `an SQL view that never ends causes an error after a short time`() throws {
    let endless = """
      CREATE TABLE metadata (name text, value text);
      CREATE VIEW tiles AS
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT 1 AS zoom_level, 0 AS tile_column, -i AS tile_row, x'89' AS tile_data FROM n;
      """
    try MadeMap(schema: endless, metadata: ["minzoom": "1", "maxzoom": "3"], tiles: [:]).write(path)
    let map = try MapTiles(path)
    do throws(TileError) {
      _ = try map.tile(zoom: 1, x: 0, y: 0)
      Issue.record("a tile")
    } catch {
      #expect(error.message == "cannot read \(path): finding a tile takes too long")
    }
  }

  @Test func `an SQL view that produces a gigabyte causes an error`() throws {
    let large = """
      CREATE TABLE metadata (name text, value text);
      CREATE VIEW tiles AS SELECT 1 AS zoom_level, 0 AS tile_column, 0 AS tile_row,
        zeroblob(900000000) AS tile_data;
      """
    try MadeMap(schema: large, metadata: ["minzoom": "1", "maxzoom": "1"], tiles: [:]).write(path)
    do throws(TileError) {
      let map = try MapTiles(path)
      _ = try map.tile(zoom: 1, x: 0, y: 1)
      Issue.record("a tile")
    } catch {
      #expect(error.kind == .unusable)
    }
  }

  @Test func `reading a map in WAL mode creates no file and leaves the map unchanged`() throws {
    try MadeMap(extra: "PRAGMA journal_mode = WAL").write(path)
    let before = try Data(contentsOf: URL(filePath: path))
    let map = try MapTiles(path)
    _ = try map.tile(zoom: 1, x: 0, y: 0)
    #expect(try Folder.names(in: folder.path) == ["trail.mbtiles"])
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test(arguments: ["-wal", "-journal"])
  func `a map that another program is still writing is rejected`(_ ending: String) throws {
    try MadeMap().write(path)
    try Data("rest".utf8).write(to: URL(filePath: path + ending))
    #expect(refusal()?.kind == .away)
    try Data().write(to: URL(filePath: path + ending))
    #expect(refusal() == nil)
  }
}
