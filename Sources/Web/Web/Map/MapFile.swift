internal import LinuxSystem

/// A map whose file may appear and disappear, for example on a USB stick. The file is opened when
/// it is needed, and reopened after a fault.
///
/// Only one thread may use this map. That thread may block while it accesses the medium.
public struct MapFile: ~Copyable {
  public let path: String
  private var map: MapTiles?
  private var version: FileVersion?

  /// Creates a reference to the map at a path, which need not exist yet.
  public init(_ path: String) {
    self.path = path
  }

  public mutating func facts() throws(TileError) -> MapFacts {
    try use { map throws(TileError) in map.facts }
  }

  /// Returns the tile at a position; `nil` if the map has no tile there.
  public mutating func tile(zoom: Int, x: Int, y: Int) throws(TileError) -> Tile? {
    try use { map throws(TileError) in try map.tile(zoom: zoom, x: x, y: y) }
  }

  private mutating func use<Outcome>(
    _ body: (borrowing MapTiles) throws(TileError) -> Outcome
  ) throws(TileError) -> Outcome {
    let there = FileVersion(path)
    if there != nil, there == version, let outcome = try take(body) { return outcome }
    // The file has been replaced, or its stick was plugged in again. Close the old file first,
    // because an open file prevents the stick from being removed safely.
    map = nil
    version = nil
    map = try MapTiles(path)
    version = there
    guard let outcome = try take(body) else { preconditionFailure("the map was opened") }
    return outcome
  }

  /// Calls `body` with the open map. Returns `nil` if no map is open.
  private mutating func take<Outcome>(
    _ body: (borrowing MapTiles) throws(TileError) -> Outcome
  ) throws(TileError) -> Outcome? {
    guard let open = map.take() else { return nil }
    do throws(TileError) {
      let outcome = try body(open)
      map = consume open
      return outcome
    } catch {
      // A single unusable tile does not make the page close a readable map. After any other fault,
      // the file is reopened, because SQLite caches earlier reads.
      if error.kind == .badTile { map = consume open }
      throw error
    }
  }
}
