public import Values

/// What a map says of itself.
public struct MapFacts: Hashable, Sendable {
  /// A part of the world in degrees.
  public struct Bounds: Hashable, Sendable {
    /// The western edge.
    public let west: Double
    /// The southern edge.
    public let south: Double
    /// The eastern edge.
    public let east: Double
    /// The northern edge.
    public let north: Double

    /// Reads `west,south,east,north`; `nil` for what is no part of the world.
    init?(_ text: String) {
      guard text.utf8.count <= 200 else { return nil }
      let numbers = text.split(separator: ",", omittingEmptySubsequences: false).compactMap {
        part in
        Double(String(part.filter { $0 != " " })).flatMap { $0.isFinite ? $0 : nil }
      }
      guard numbers.count == 4, text.utf8.count(where: { $0 == UInt8(ascii: ",") }) == 3,
        numbers[0] < numbers[2], numbers[1] < numbers[3],
        numbers[0] >= -180, numbers[2] <= 180, numbers[1] >= -90, numbers[3] <= 90
      else { return nil }
      (west, south, east, north) = (numbers[0], numbers[1], numbers[2], numbers[3])
    }
  }

  /// The deepest zoom that is served; tiles are then as wide as a hand.
  public static let deepestZoom = 24

  /// The map's name; may be empty.
  public let name: String
  /// The zooms that have tiles.
  public let zooms: ClosedRange<Int>
  /// Whose the map is: plain text without marks of HTML.
  public let attribution: String
  /// Where the map has tiles; `nil` if the file does not say so.
  public let bounds: Bounds?

  /// The body of `GET /tiles`.
  public var json: JSONValue {
    .object([
      .init("name", name), .init("minzoom", zooms.lowerBound), .init("maxzoom", zooms.upperBound),
      .init("attribution", attribution),
      .init(
        "bounds",
        bounds.map {
          .array([$0.west.json, $0.south.json, $0.east.json, $0.north.json])
        }
          ?? .null),
    ])
  }
}
