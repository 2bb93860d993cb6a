public import Recording
public import Values

/// Encodes pieces of tracks for uploads and folders. Equal pieces have equal bytes.
extension TrackPiece {
  /// Version of the JSON format.
  public static let format = 1

  /// The piece as JSON text.
  public var encoded: [UInt8] {
    JSONWriter.object { json in
      json.add("format", count: Self.format)
      json.add("session", id: session)
      json.add("first", count: first)
      json.add("fixes", objects: fixes) { $0.write(to: &$1) }
    }
  }

  public init(decoding bytes: [UInt8]) throws(JSONError) {
    try self.init(try JSONFields(parsing: bytes))
  }

  private init(_ fields: JSONFields) throws(JSONError) {
    guard try fields.count("format") == Self.format else {
      throw fields.failure("format", "only version \(Self.format) is supported")
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
  fileprivate func write(to json: inout JSONWriter) {
    json.add("arrivalNs", boot: arrival)
    json.add("utcNs", utc: utc)
    json.add("latitude", number: latitude)
    json.add("longitude", number: longitude)
    json.add("altitudeMSL", number: altitudeMSL)
    json.add("geoidSeparation", number: geoidSeparation)
    json.add("speed", number: speed)
    json.add("track", number: track)
    json.add("hdop", number: hdop)
    json.add("satellites", count: satellites)
    json.add("threeDimensional", bool: isThreeDimensional)
    json.add("quality", count: quality.rawValue)
    if let error {
      json.add("error") { json in
        json.add("horizontal", number: error.horizontal)
        json.add("vertical", number: error.vertical)
        json.add("basis", text: error.basis.word)
      }
    }
    if followsLoss { json.add("followsLoss", bool: true) }
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
      quality: try fields.required("quality", "an NMEA GGA quality from 1 to 8") {
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
