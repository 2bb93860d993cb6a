public import Values

public struct MapFacts: Hashable, Sendable {
  /// An area of the world, in degrees.
  public struct Bounds: Hashable, Sendable {
    public let west: Double
    public let south: Double
    public let east: Double
    public let north: Double

    /// Parses `west,south,east,north`. Returns `nil` if the area is invalid.
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

  /// The highest zoom level served. At this level, a tile is at most 2.4 metres wide.
  public static let deepestZoom = 24

  /// The map's name; may be empty.
  public let name: String
  /// The zoom levels that have tiles.
  public let zooms: ClosedRange<Int>
  /// The credit to the map's authors, as plain text without HTML tags.
  public let attribution: String
  /// The area that the tiles cover; `nil` if the file does not specify one.
  public let bounds: Bounds?

  /// The body of the response to `GET /tiles`.
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
