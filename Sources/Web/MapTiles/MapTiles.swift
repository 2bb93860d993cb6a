internal import LinuxSystem
internal import Recording
internal import Storage

/// An open map: a file in the MBTiles format 1.3, an SQLite database of pictures that people make
/// with QGIS and other programs.
///
/// One thread uses it. The file may be on a stick, on a read-only medium, damaged or hostile: each
/// fault is an error, and no file takes longer than a moment or more than a few megabytes. It must
/// not be written meanwhile.
///
///     let map = try MapTiles(path)
///     let zooms = map.facts.zooms
///     let tile = try map.tile(zoom: 3, x: 4, y: 2)
public struct MapTiles: ~Copyable {
  /// What the map says of itself.
  public let facts: MapFacts
  private let database: Database
  private let path: String

  /// Bytes of the largest tile. Pictures of 512 pixels have a tenth of that.
  private static let largestTile = 2 << 20

  /// Opens a map and checks that its tiles can be shown.
  public init(_ path: String) throws(TileError) {
    try Self.check(path)
    let database = try Self.open(path)
    facts = try Self.facts(database, path)
    self.path = path
    self.database = database
  }

  /// The tile at a place of the usual scheme, whose rows count from the north; `nil` where the map
  /// has none.
  public func tile(zoom: Int, x: Int, y: Int) throws(TileError) -> Tile? {
    guard facts.zooms.contains(zoom), case let size = 1 << zoom, (0..<size).contains(x),
      (0..<size).contains(y)
    else { return nil }
    let bytes: [UInt8]
    do throws(StoreError) {
      // Prepared each time: the limit of its steps holds for the life of a statement.
      var query = try database.prepare(
        "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?",
        doing: "read")
      try query.bind(Int64(zoom))
      try query.bind(Int64(x))
      // MBTiles counts rows from the south.
      try query.bind(Int64(size - 1 - y))
      guard try query.step(), !query.isNull(0) else { return nil }
      bytes = query.bytes(0)
    } catch {
      throw TileError(error, path: path)
    }
    guard bytes.count <= Self.largestTile, let format = TileFormat(of: bytes) else {
      throw TileError(
        .badTile, "tile \(zoom)/\(x)/\(y) of \(path) is no picture", remedy: TileError.make)
    }
    return Tile(format: format, bytes: bytes)
  }

  private static func open(_ path: String) throws(TileError) -> Database {
    do throws(StoreError) {
      return try Database.open(path: path, mode: .foreign)
    } catch {
      throw TileError(error, path: path)
    }
  }

  // MARK: - Checks

  private static let header = Array("SQLite format 3\0".utf8)

  /// Refuses what is no database, or not finished, before SQLite looks at it.
  private static func check(_ path: String) throws(TileError) {
    let bytes: [UInt8]?
    do throws(SystemError) {
      // SQLite would wait for the writer of a named pipe.
      bytes = try WholeFile.read(path, upTo: header.count, waits: false)
    } catch {
      throw TileError(.away, error.description, remedy: TileError.plug)
    }
    guard let bytes else {
      throw TileError(.away, "there is no map \(path)", remedy: TileError.plug)
    }
    guard bytes.starts(with: header) else {
      throw TileError(.unusable, "\(path) is no MBTiles file", remedy: TileError.make)
    }
    // What a program wrote and did not finish is in a file beside it, which is not looked at.
    for ending in ["-wal", "-journal"] {
      let rest = try? WholeFile.read(path + ending, upTo: 0, waits: false)
      guard let rest, !rest.isEmpty else { continue }
      throw TileError(
        .away, "another program has not finished writing \(path): there is \(path)\(ending)",
        remedy: "close that program, or open and close the map with it once more")
    }
  }

  private static func facts(
    _ database: borrowing Database, _ path: String
  ) throws(TileError) -> MapFacts {
    let texts: [String]
    let zooms: ClosedRange<Int>?
    do throws(StoreError) {
      texts = try ["format", "name", "attribution", "bounds"].map { name throws(StoreError) in
        try text(name, database)
      }
      zooms = try Self.zooms(database)
    } catch {
      throw TileError(error, path: path)
    }
    let format = texts[0].lowercased()
    guard format != "pbf" else {
      throw TileError(
        .unsupported, "\(path) has vector tiles (pbf), which the page cannot draw",
        remedy: "make a map of pictures, for example with QGIS: "
          + "'Generate XYZ tiles (MBTiles)' with the format PNG")
    }
    guard ["png", "jpg", "jpeg", "webp", ""].contains(format) else {
      throw TileError(
        .unsupported, "\(path) has tiles of the format '\(MapText.plain(format, upTo: 20))'",
        remedy: "make a map with the format PNG or JPG")
    }
    guard let zooms else {
      throw TileError(.unusable, "\(path) has no tiles", remedy: TileError.make)
    }
    return MapFacts(
      name: MapText.plain(texts[1], upTo: 100), zooms: zooms,
      attribution: MapText.plain(texts[2], upTo: 500), bounds: MapFacts.Bounds(texts[3]))
  }

  /// A text of the table of metadata; empty where there is none.
  private static func text(
    _ name: String, _ database: borrowing Database
  ) throws(StoreError) -> String {
    var query = try database.prepare(
      "SELECT value FROM metadata WHERE name = ? LIMIT 1", doing: "read")
    try query.bind(name)
    return try query.step() ? query.text(0) : ""
  }

  /// The zooms of the metadata, or else those of the tiles; `nil` without tiles.
  private static func zooms(_ database: borrowing Database) throws(StoreError) -> ClosedRange<Int>?
  {
    var any = try database.prepare("SELECT 1 FROM tiles LIMIT 1", doing: "read")
    guard try any.step() else { return nil }
    let least = Int(try text("minzoom", database))
    let most = Int(try text("maxzoom", database))
    if let least, let most, least >= 0, least <= most, least <= MapFacts.deepestZoom {
      return least...min(most, MapFacts.deepestZoom)
    }
    // One by one: of a view over two tables, the least and the largest would need all rows.
    var found: [Int] = []
    for zoom in 0...MapFacts.deepestZoom {
      var query = try database.prepare(
        "SELECT 1 FROM tiles WHERE zoom_level = ? LIMIT 1", doing: "read")
      try query.bind(Int64(zoom))
      if try query.step() { found.append(zoom) }
    }
    guard let first = found.first, let last = found.last else { return nil }
    return first...last
  }
}
