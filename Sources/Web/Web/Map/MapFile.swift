internal import LinuxSystem

/// A map that may come and go, for example on a USB stick: opened when needed, and again after a
/// fault.
///
/// One thread uses it, which may block on the medium.
public struct MapFile: ~Copyable {
  public let path: String
  private var map: MapTiles?
  private var version: FileVersion?

  /// The map at a path, which need not exist yet.
  public init(_ path: String) {
    self.path = path
  }

  /// The map's metadata.
  public mutating func facts() throws(TileError) -> MapFacts {
    try use { map throws(TileError) in map.facts }
  }

  /// The tile at a place; `nil` if the map has none there.
  public mutating func tile(zoom: Int, x: Int, y: Int) throws(TileError) -> Tile? {
    try use { map throws(TileError) in try map.tile(zoom: zoom, x: x, y: y) }
  }

  private mutating func use<Outcome>(
    _ body: (borrowing MapTiles) throws(TileError) -> Outcome
  ) throws(TileError) -> Outcome {
    let there = FileVersion(path)
    if there != nil, there == version, let outcome = try take(body) { return outcome }
    // Another file, or the same one after its stick was plugged in again. The former one is closed
    // first, since an open file prevents a stick from being removed safely.
    map = nil
    version = nil
    map = try MapTiles(path)
    version = there
    guard let outcome = try take(body) else { preconditionFailure("the map was opened") }
    return outcome
  }

  /// Queries the open map, if there is one.
  private mutating func take<Outcome>(
    _ body: (borrowing MapTiles) throws(TileError) -> Outcome
  ) throws(TileError) -> Outcome? {
    guard let open = map.take() else { return nil }
    do throws(TileError) {
      let outcome = try body(open)
      map = consume open
      return outcome
    } catch {
      // One bad tile does not close a readable map. After any other fault the file is opened again,
      // since SQLite caches earlier reads.
      if error.kind == .badTile { map = consume open }
      throw error
    }
  }
}
