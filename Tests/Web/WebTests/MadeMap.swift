import LinuxSystem
import SQLite

/// Creates MBTiles files as other programs write them, and invalid files.
struct MadeMap {
  /// A PNG image of a single grey pixel.
  static let png: [UInt8] = [
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3a, 0x7e, 0x9b,
    0x55, 0x00, 0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x68, 0x00, 0x00, 0x00,
    0x82, 0x00, 0x81, 0x77, 0xcd, 0x72, 0xb6, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae,
    0x42, 0x60, 0x82,
  ]

  /// The tables in the MBTiles specification, with the index that it recommends.
  static let tables = """
    CREATE TABLE metadata (name text, value text);
    CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob);
    CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row);
    """
  /// The same content behind a view, as in files written by Mapbox's own program.
  static let views = """
    CREATE TABLE metadata (name text, value text);
    CREATE TABLE map (zoom_level integer, tile_column integer, tile_row integer, tile_id text);
    CREATE TABLE images (tile_id text, tile_data blob);
    CREATE UNIQUE INDEX map_index ON map (zoom_level, tile_column, tile_row);
    CREATE UNIQUE INDEX images_id ON images (tile_id);
    CREATE VIEW tiles AS SELECT map.zoom_level AS zoom_level, map.tile_column AS tile_column,
      map.tile_row AS tile_row, images.tile_data AS tile_data
      FROM map JOIN images ON images.tile_id = map.tile_id;
    """

  struct Place: Hashable {
    var zoom: Int64
    var column: Int64
    var row: Int64
  }

  var schema = tables
  var metadata = [
    "name": "Trail", "format": "png", "minzoom": "1", "maxzoom": "3",
    "bounds": "-5.5,50,6.25,55.5", "attribution": "© <a href=\"https://osm.org\">OpenStreetMap</a>",
  ]
  /// Rows are counted from the south, as in the file.
  var tiles: [Place: [UInt8]] = [
    Place(zoom: 1, column: 0, row: 1): png, Place(zoom: 3, column: 4, row: 5): png + [7],
  ]
  /// Additional SQL statements, which are run last.
  var extra = ""

  func write(_ path: String) throws {
    let database = try SQLiteDatabase<SQLiteError>.open(path: path, .creating)
    try database.execute(schema, doing: "make")
    for (name, value) in metadata {
      try database.run("INSERT INTO metadata VALUES (?, ?)", [name, value], doing: "make")
    }
    for (number, (place, bytes)) in tiles.enumerated() {
      let key: [any SQLiteValue] = [place.zoom, place.column, place.row]
      guard schema == Self.views else {
        try database.run("INSERT INTO tiles VALUES (?, ?, ?, ?)", key + [bytes], doing: "make")
        continue
      }
      try database.run("INSERT INTO map VALUES (?, ?, ?, ?)", key + ["\(number)"], doing: "make")
      try database.run("INSERT INTO images VALUES (?, ?)", ["\(number)", bytes], doing: "make")
    }
    try database.execute(extra, doing: "make")
  }
}
