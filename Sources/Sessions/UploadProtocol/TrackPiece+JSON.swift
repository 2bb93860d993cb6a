public import Recording
public import Values

/// A piece of a track as it is sent and as a folder stores it; equal pieces have equal bytes.
extension TrackPiece {
  /// Version of the written form.
  public static let format = 1

  /// The piece as a JSON text.
  public var encoded: [UInt8] { Array(json.text.utf8) }

  /// Reads a piece from its JSON text.
  public init(decoding bytes: [UInt8]) throws(JSONError) {
    try self.init(try JSONFields(parsing: bytes))
  }

  /// The piece as JSON.
  public var json: JSONValue {
    [
      "format": .count(Self.format), "session": .text(session), "first": .count(first),
      "fixes": .array(fixes.map(\.json)),
    ]
  }

  /// Reads a piece.
  private init(_ fields: JSONFields) throws(JSONError) {
    guard try fields.count("format") == Self.format else {
      throw fields.failure("format", "only \(Self.format) is known")
    }
    self.init(
      session: try fields.id("session"), first: try fields.count("first", upTo: Self.mostFixes),
      fixes: [])
    guard first % Self.capacity == 0 else {
      throw fields.failure("first", "a multiple of \(Self.capacity) is expected")
    }
    try fields.objects("fixes", most: Self.capacity) { (fix) throws(JSONError) in
      fixes.append(try Fix(fix))
    }
  }
}

extension Fix {
  fileprivate var json: JSONValue {
    var fields = JSONMembers()
    fields.add("arrivalNs", boot: arrival)
    fields.add("utcNs", utc: utc)
    fields.add("latitude", .number(latitude))
    fields.add("longitude", .number(longitude))
    fields.add("altitudeMSL", number: altitudeMSL)
    fields.add("geoidSeparation", number: geoidSeparation)
    fields.add("speed", number: speed)
    fields.add("track", number: track)
    fields.add("hdop", number: hdop)
    if let satellites { fields.add("satellites", .count(satellites)) }
    fields.add("threeDimensional", .bool(isThreeDimensional))
    fields.add("quality", .count(quality.rawValue))
    if let error {
      var estimate = JSONMembers()
      estimate.add("horizontal", .number(error.horizontal))
      estimate.add("vertical", number: error.vertical)
      estimate.add("basis", .string(error.basis.word))
      fields.add("error", estimate.object)
    }
    if followsLoss { fields.add("followsLoss", .bool(true)) }
    return fields.object
  }

  fileprivate init(_ fields: JSONFields) throws(JSONError) {
    let error = try fields.optionalObject("error").map { (error) throws(JSONError) in
      ErrorEstimate(
        horizontal: try error.number("horizontal"), vertical: try error.optionalNumber("vertical"),
        basis: try error.word("basis", of: [.reported, .dilution, .daemon], \.word))
    }
    let place = try fields.position()
    self.init(
      arrival: try fields.boot("arrivalNs"), utc: try fields.utc("utcNs"),
      latitude: place.latitude, longitude: place.longitude,
      altitudeMSL: try fields.optionalNumber("altitudeMSL"),
      geoidSeparation: try fields.optionalNumber("geoidSeparation"),
      speed: try fields.optionalNumber("speed"), track: try fields.optionalNumber("track"),
      hdop: try fields.optionalNumber("hdop"),
      satellites: try fields.optional("satellites", "a count up to 255") {
        $0.integer.flatMap { UInt8(exactly: $0) }
      },
      isThreeDimensional: try fields.bool("threeDimensional"),
      quality: try fields.required("quality", "a quality of NMEA's GGA, 1 to 8") {
        $0.integer.flatMap { UInt8(exactly: $0) }.flatMap { Quality(rawValue: $0) }
      },
      error: error,
      followsLoss: try fields.optional("followsLoss", "true or false", \.bool) ?? false)
  }
}

extension Fix.ErrorEstimate.Basis {
  fileprivate var word: String {
    switch self {
    case .reported: "receiver"
    case .dilution: "dop"
    case .daemon: "gpsd"
    }
  }
}
