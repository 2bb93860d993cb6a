public import Values
internal import LinuxSystem

/// A route that a study suggests, for display on maps.
public struct Route: Hashable, Sendable {
  /// The name; may be empty.
  public var name: String
  /// The difficulty as worded in the file, such as `easy`; may be empty.
  public var difficulty: String
  /// The route's lines. Each line is a list of positions in walking order.
  public var lines: [[GeoPlace]]

  /// A position as latitude and longitude in degrees.
  public struct GeoPlace: Hashable, Sendable {
    public var latitude: Double
    public var longitude: Double
  }

  /// The reason a file with routes cannot be used.
  public struct Fault: Remediable, Hashable {
    public var message: String
    public var remedy: String
  }

  /// The maximum size of a file in bytes.
  private static let largest = 4 << 20
  /// The approximate maximum number of positions in a file. A phone cannot smoothly draw more
  /// positions than this.
  private static let mostPlaces = 50_000
  private static let mostRoutes = 200
  /// The maximum number of characters in a name or a difficulty.
  private static let longestText = 100

  /// Reads the routes in a GeoJSON file: its features with a `LineString` or a `MultiLineString`.
  /// All other features are skipped.
  public static func read(_ path: String) throws(Fault) -> [Route] {
    let bytes: [UInt8]?
    do throws(SystemError) {
      bytes = try WholeFile.read(path, upTo: largest, waits: false)
    } catch {
      throw Fault(message: error.description, remedy: error.remedy)
    }
    guard let bytes else {
      throw Fault(message: "\(path) does not exist", remedy: "check the path of the routes")
    }
    return try parse(bytes, path)
  }

  static func parse(_ bytes: [UInt8], _ path: String) throws(Fault) -> [Route] {
    func fault(_ reason: String) -> Fault {
      Fault(
        message: "cannot use the routes in \(path): \(reason)",
        remedy: "export the routes as GeoJSON lines in degrees (WGS 84), with at most "
          + "\(mostPlaces) positions in total")
    }
    let json: JSON
    do throws(JSONError) {
      // Some programs begin a file with a byte order mark.
      let mark: [UInt8] = [0xef, 0xbb, 0xbf]
      let text = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
      var parser = JSONParser(text, mostValues: 4 * mostPlaces)
      json = try parser.value()
      try parser.finish()
    } catch {
      throw fault("\(error)")
    }
    var routes: [Route] = []
    for feature in json["features"]?.list ?? [json] {
      let geometry = feature["geometry"] ?? feature
      let lines: [JSON]
      switch (geometry["type"]?.text, geometry["coordinates"]?.list) {
      case ("LineString", let line?): lines = [.list(line)]
      case ("MultiLineString", let list?): lines = list
      default: continue
      }
      var route = Route(
        name: text(feature["properties"]?["name"]),
        difficulty: text(feature["properties"]?["difficulty"]), lines: [])
      for line in lines {
        let places = (line.list ?? []).compactMap(GeoPlace.init)
        guard places.count == line.list?.count else {
          throw fault("a position of the route '\(route.name)' is not [longitude, latitude]")
        }
        if places.count > 1 { route.lines.append(places) }
      }
      if !route.lines.isEmpty { routes.append(route) }
    }
    guard !routes.isEmpty else { throw fault("the file contains no line") }
    guard routes.count <= mostRoutes else { throw fault("more than \(mostRoutes) routes") }
    return routes
  }

  private static func text(_ value: JSON?) -> String {
    let text =
      switch value {
      case .text(let text): text
      case .number(let number): NumberText.plain(number)
      default: ""
      }
    return PlainText.cleaned(String(text.prefix(longestText)))
  }

  public var json: JSONValue {
    .object([
      .init("name", .string(name)), .init("difficulty", .string(difficulty)),
      .init(
        "lines",
        .array(
          lines.map { line in
            .array(line.map { .array([.number($0.latitude), .number($0.longitude)]) })
          })),
    ])
  }
}

extension Route.GeoPlace {
  /// Reads a position of a GeoJSON line: longitude, latitude, and optionally an altitude.
  fileprivate init?(_ json: JSON) {
    guard let numbers = json.list, numbers.count >= 2, let longitude = numbers[0].number,
      let latitude = numbers[1].number, (-180...180).contains(longitude),
      (-90...90).contains(latitude)
    else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }
}
