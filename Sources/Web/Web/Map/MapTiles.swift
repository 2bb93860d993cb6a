internal import LinuxSystem
internal import SQLite

/// A connection to a map file.
typealias MapDatabase = SQLiteDatabase<TileError>

/// An open map: a file in the MBTiles 1.3 format, which is an SQLite database of images. QGIS and
/// other programs create files in this format.
///
/// Only one thread may use this map. The file may be on a removable or read-only medium, damaged or
/// malicious. Every fault is reported as an error. Whatever the file contains, each call takes only
/// a moment and uses no more than a few megabytes of memory. No program may write to the file at
/// the same time.
///
///     let map = try MapTiles(path)
///     let zooms = map.facts.zooms
///     let tile = try map.tile(zoom: 3, x: 4, y: 2)
public struct MapTiles: ~Copyable {
  public let facts: MapFacts
  private let database: MapDatabase

  /// Maximum size of a tile in bytes. A tile of 512 × 512 pixels needs about a tenth of this size.
  private static let largestTile = 2 << 20
  /// Maximum size of a value or row in a map, in bytes.
  private static let largestRow: Int32 = 4 << 20
  /// Maximum number of steps per statement. That many steps take about a tenth of a second on a
  /// small computer.
  private static let mostSteps: Int32 = 2_000_000

  /// Opens a map and checks that its tiles can be shown.
  public init(_ path: String) throws(TileError) {
    try Self.check(path)
    let database = try MapDatabase.open(path: path, .unchanging)
    // The file may contain views that are designed to run forever, so the connection limits the
    // number of steps.
    try database.distrust(bytes: Self.largestRow, steps: Self.mostSteps)
    // Each tile is read only once, and all other data fit in half a megabyte of pages.
    try database.execute("PRAGMA cache_size = -512", doing: "open")
    try database.execute("PRAGMA query_only = ON", doing: "open")
    facts = try Self.facts(database)
    self.database = database
  }

  /// Returns the tile at a position in the usual scheme, whose rows are counted from the north;
  /// `nil` if the map has no tile there.
  public func tile(zoom: Int, x: Int, y: Int) throws(TileError) -> Tile? {
    guard facts.zooms.contains(zoom), case let size = 1 << zoom, (0..<size).contains(x),
      (0..<size).contains(y)
    else { return nil }
    // The statement is prepared each time, because its step limit applies to its whole lifetime.
    // MBTiles counts rows from the south.
    let bytes = try database.first(
      "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?",
      [zoom, x, size - 1 - y]
    ) { row in row.optionalBytes(0) }
    guard let bytes else { return nil }
    guard bytes.count <= Self.largestTile, let format = TileFormat(of: bytes) else {
      throw TileError(
        .badTile, "tile \(zoom)/\(x)/\(y) in \(database.path) is not an image, or is too large",
        remedy: TileError.make)
    }
    return Tile(format: format, bytes: bytes)
  }

  // MARK: - Checks

  private static let header = Array("SQLite format 3\0".utf8)

  /// Rejects a file that is not a complete database, before SQLite opens it.
  private static func check(_ path: String) throws(TileError) {
    let bytes: [UInt8]?
    do throws(SystemError) {
      // If the path led to a named pipe, SQLite would wait for a process to write to it.
      bytes = try WholeFile.read(path, upTo: header.count, waits: false)
    } catch {
      throw TileError(.away, error.message, remedy: TileError.plug)
    }
    guard let bytes else {
      throw TileError(.away, "map \(path) not found", remedy: TileError.plug)
    }
    guard bytes.starts(with: header) else {
      throw TileError(.unusable, "\(path) is not an MBTiles file", remedy: TileError.make)
    }
    // A file with this suffix contains another program's unfinished writes, which SQLite would
    // ignore.
    for ending in ["-wal", "-journal"] {
      let rest = try? WholeFile.read(path + ending, upTo: 0, waits: false)
      guard let rest, !rest.isEmpty else { continue }
      throw TileError(
        .away, "another program has not finished writing \(path): \(path)\(ending) exists",
        remedy: "close that program, or open and close the map in it again")
    }
  }

  private static func facts(_ database: borrowing MapDatabase) throws(TileError) -> MapFacts {
    let path = database.path
    let texts = try ["format", "name", "attribution", "bounds"].map { name throws(TileError) in
      try text(name, database)
    }
    let zooms = try Self.zooms(database)
    let format = texts[0].lowercased()
    guard format != "pbf" else {
      throw TileError(
        .unsupported, "\(path) contains vector tiles (pbf), which the page cannot draw",
        remedy: "make a raster map, for example with QGIS: "
          + "'Generate XYZ tiles (MBTiles)' with the format PNG")
    }
    guard ["png", "jpg", "jpeg", "webp", ""].contains(format) else {
      throw TileError(
        .unsupported, "\(path) contains tiles in the format '\(MapText.plain(format, upTo: 20))'",
        remedy: "make a map in PNG or JPG format")
    }
    guard let zooms else {
      throw TileError(.unusable, "\(path) contains no tiles", remedy: TileError.make)
    }
    return MapFacts(
      name: MapText.plain(texts[1], upTo: 100), zooms: zooms,
      attribution: MapText.plain(texts[2], upTo: 500), bounds: MapFacts.Bounds(texts[3]))
  }

  /// Returns a value from the metadata table; empty if the value is missing.
  private static func text(
    _ name: String, _ database: borrowing MapDatabase
  ) throws(TileError) -> String {
    try database.first("SELECT value FROM metadata WHERE name = ? LIMIT 1", [name]) { row in
      row.text(0)
    } ?? ""
  }

  /// Returns the zoom levels from the metadata or, if they are missing there, from the tiles; `nil`
  /// if there are no tiles.
  private static func zooms(
    _ database: borrowing MapDatabase
  ) throws(TileError) -> ClosedRange<Int>? {
    guard try database.finds("SELECT 1 FROM tiles LIMIT 1") else { return nil }
    let least = Int(try text("minzoom", database))
    let most = Int(try text("maxzoom", database))
    if let least, let most, least >= 0, least <= most, least <= MapFacts.deepestZoom {
      return least...min(most, MapFacts.deepestZoom)
    }
    // The levels are tested one by one: computing the minimum and maximum of a view over two tables
    // would require reading every row.
    var found: [Int] = []
    for zoom in 0...MapFacts.deepestZoom {
      let sql = "SELECT 1 FROM tiles WHERE zoom_level = ? LIMIT 1"
      if try database.finds(sql, [zoom]) { found.append(zoom) }
    }
    guard let first = found.first, let last = found.last else { return nil }
    return first...last
  }
}
