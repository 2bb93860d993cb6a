internal import LinuxSystem
internal import SQLite

/// A connection to the file of a map.
typealias MapDatabase = SQLiteDatabase<TileError>

/// An open map: a file in the MBTiles format 1.3, an SQLite database of images, made with QGIS and
/// other programs.
///
/// One thread uses it. The file may be on a stick, on a read-only medium, damaged or hostile: each
/// fault is an error, and no file takes longer than a moment or more than a few megabytes. It must
/// not be written at the same time.
///
///     let map = try MapTiles(path)
///     let zooms = map.facts.zooms
///     let tile = try map.tile(zoom: 3, x: 4, y: 2)
public struct MapTiles: ~Copyable {
  /// The map's metadata.
  public let facts: MapFacts
  private let database: MapDatabase

  /// Largest tile in bytes. Images of 512 pixels take a tenth of that.
  private static let largestTile = 2 << 20
  /// Largest value and row of a map, in bytes.
  private static let largestRow: Int32 = 4 << 20
  /// Most steps of a statement: about a tenth of a second on a small computer.
  private static let mostSteps: Int32 = 2_000_000

  /// Opens a map and checks that its tiles can be shown.
  public init(_ path: String) throws(TileError) {
    try Self.check(path)
    let database = try MapDatabase.open(path: path, .unchanging)
    // Its views may be designed to run for ever.
    try database.distrust(bytes: Self.largestRow, steps: Self.mostSteps)
    // A tile is read once, and all other data fit in half a megabyte of pages.
    try database.execute("PRAGMA cache_size = -512", doing: "open")
    try database.execute("PRAGMA query_only = ON", doing: "open")
    facts = try Self.facts(database)
    self.database = database
  }

  /// The tile at a place in the usual scheme, whose rows count from the north; `nil` if the map has
  /// none there.
  public func tile(zoom: Int, x: Int, y: Int) throws(TileError) -> Tile? {
    guard facts.zooms.contains(zoom), case let size = 1 << zoom, (0..<size).contains(x),
      (0..<size).contains(y)
    else { return nil }
    // Prepared each time: its step limit applies to the lifetime of a statement. MBTiles counts
    // rows from the south.
    let bytes = try database.first(
      "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?",
      [zoom, x, size - 1 - y]
    ) { row in row.optionalBytes(0) }
    guard let bytes else { return nil }
    guard bytes.count <= Self.largestTile, let format = TileFormat(of: bytes) else {
      throw TileError(
        .badTile, "tile \(zoom)/\(x)/\(y) of \(database.path) is not an image",
        remedy: TileError.make)
    }
    return Tile(format: format, bytes: bytes)
  }

  // MARK: - Checks

  private static let header = Array("SQLite format 3\0".utf8)

  /// Refuses a file that is not a complete database, before SQLite opens it.
  private static func check(_ path: String) throws(TileError) {
    let bytes: [UInt8]?
    do throws(SystemError) {
      // SQLite would wait for the writer of a named pipe.
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
    // Unfinished writes of another program are in a file beside it, which is not read.
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
        remedy: "make a map of images, for example with QGIS: "
          + "'Generate XYZ tiles (MBTiles)' with the format PNG")
    }
    guard ["png", "jpg", "jpeg", "webp", ""].contains(format) else {
      throw TileError(
        .unsupported, "\(path) contains tiles in the format '\(MapText.plain(format, upTo: 20))'",
        remedy: "make a map in the format PNG or JPG")
    }
    guard let zooms else {
      throw TileError(.unusable, "\(path) contains no tiles", remedy: TileError.make)
    }
    return MapFacts(
      name: MapText.plain(texts[1], upTo: 100), zooms: zooms,
      attribution: MapText.plain(texts[2], upTo: 500), bounds: MapFacts.Bounds(texts[3]))
  }

  /// A text of the metadata table; empty if it is missing.
  private static func text(
    _ name: String, _ database: borrowing MapDatabase
  ) throws(TileError) -> String {
    try database.first("SELECT value FROM metadata WHERE name = ? LIMIT 1", [name]) { row in
      row.text(0)
    } ?? ""
  }

  /// The zooms in the metadata, or else of the tiles; `nil` without tiles.
  private static func zooms(
    _ database: borrowing MapDatabase
  ) throws(TileError) -> ClosedRange<Int>? {
    guard try database.finds("SELECT 1 FROM tiles LIMIT 1") else { return nil }
    let least = Int(try text("minzoom", database))
    let most = Int(try text("maxzoom", database))
    if let least, let most, least >= 0, least <= most, least <= MapFacts.deepestZoom {
      return least...min(most, MapFacts.deepestZoom)
    }
    // Tested one by one: in a view over two tables, minimum and maximum would read all rows.
    var found: [Int] = []
    for zoom in 0...MapFacts.deepestZoom {
      let sql = "SELECT 1 FROM tiles WHERE zoom_level = ? LIMIT 1"
      if try database.finds(sql, [zoom]) { found.append(zoom) }
    }
    guard let first = found.first, let last = found.last else { return nil }
    return first...last
  }
}
