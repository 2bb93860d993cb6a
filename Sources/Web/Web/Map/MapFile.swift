internal import LinuxSystem

/// A map that may come and go, as on a stick: opened when it is needed, and again after a fault.
///
/// One thread uses it, which may wait for the medium.
public struct MapFile: ~Copyable {
  /// The path of the file.
  public let path: String
  private var map: MapTiles?
  private var version: FileVersion?

  /// The map at a path, where there need not be one yet.
  public init(_ path: String) {
    self.path = path
  }

  /// What the map says of itself.
  public mutating func facts() throws(TileError) -> MapFacts {
    try use { map throws(TileError) in map.facts }
  }

  /// The tile at a place; `nil` where the map has none.
  public mutating func tile(zoom: Int, x: Int, y: Int) throws(TileError) -> Tile? {
    try use { map throws(TileError) in try map.tile(zoom: zoom, x: x, y: y) }
  }

  private mutating func use<Outcome>(
    _ body: (borrowing MapTiles) throws(TileError) -> Outcome
  ) throws(TileError) -> Outcome {
    let there = FileVersion(path)
    if there != nil, there == version, let outcome = try take(body) { return outcome }
    // Another file, or the same after its stick was put back. The former one is let go of first:
    // an open file keeps a stick from being taken out properly.
    map = nil
    version = nil
    map = try MapTiles(path)
    version = there
    guard let outcome = try take(body) else { preconditionFailure("the map was opened") }
    return outcome
  }

  /// Asks the open map, if there is one.
  private mutating func take<Outcome>(
    _ body: (borrowing MapTiles) throws(TileError) -> Outcome
  ) throws(TileError) -> Outcome? {
    guard let open = map.take() else { return nil }
    do throws(TileError) {
      let outcome = try body(open)
      map = consume open
      return outcome
    } catch {
      // One bad tile does not close a map that is there. After any other fault the file is read
      // anew, since SQLite keeps what it has read before.
      if error.kind == .badTile { map = consume open }
      throw error
    }
  }
}
