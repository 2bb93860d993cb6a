public import Values

/// A sample as stored in the researchers' layout.
public struct WrittenSample: Hashable, Sendable {
  /// The sample's time, to the microsecond; `nil` if the document does not contain it.
  public var time: UTCTime?
  /// The angular velocity around the x axis, in degrees per second.
  public var x: Double
  /// The angular velocity around the y axis, in degrees per second.
  public var y: Double
  /// The angular velocity around the z axis, in degrees per second.
  public var z: Double
  /// The latitude in degrees north; `nil` if there was no fix.
  public var latitude: Double?
  /// The longitude in degrees east; `nil` if there was no fix.
  public var longitude: Double?
  /// The altitude in metres above mean sea level; `nil` if unknown.
  public var altitude: Double?

  /// Decodes a sample that uses the current or the old field names. A value that is not a number is
  /// treated as missing.
  ///
  /// - Parameter scale: the board's counts per degree per second. It is used to convert a 32-bit
  ///   quotient back to the exact value that the board measured.
  init(_ value: FirestoreValue, countsPerUnit scale: Double? = nil) {
    let fields = value.map ?? []
    func number(_ names: String...) -> Double? {
      names.lazy.compactMap { fields[$0]?.number }.first
    }
    func rate(_ names: String...) -> Double {
      let value = names.lazy.compactMap { fields[$0]?.number }.first ?? 0
      guard let scale, scale > 0, value.isFinite else { return value }
      return (value * scale).rounded() / scale
    }
    time = number("timestamp").flatMap(UTCTime.init(seconds:))
    x = rate("gscope_x", "gyroscope_x")
    y = rate("gscope_y", "gyroscope_y")
    z = rate("gscope_z", "gyroscope_z")
    latitude = number("loc_latitude", "location_latitude")
    longitude = number("loc_longitude", "location_longitude")
    altitude = number("loc_altitude", "location_altitude")
  }
}

/// Formats stored samples as a CSV table, with the columns and decimals of `footbridge export`.
public struct WrittenTable {
  /// The table's header line.
  public static let header = "time_utc,x,y,z,lat,lon,alt_msl"

  private var text = JSONBytes()

  /// Creates a table that contains only the header line.
  public init() {
    text.append(Self.header + "\n")
  }

  public mutating func append(_ samples: [WrittenSample]) {
    for sample in samples {
      if let time = sample.time { text.append(time.iso8601(decimals: 6)) }
      for value in [sample.x, sample.y, sample.z] {
        text.append(",")
        append(value, decimals: 6)
      }
      text.append(",")
      if let latitude = sample.latitude { append(latitude, decimals: 7) }
      text.append(",")
      if let longitude = sample.longitude { append(longitude, decimals: 7) }
      text.append(",")
      if let altitude = sample.altitude { append(altitude, decimals: 2) }
      text.append("\n")
    }
  }

  /// Removes and returns the text that was added since the last call.
  public mutating func take() -> [UInt8] {
    defer { text = JSONBytes() }
    return text.bytes
  }

  private mutating func append(_ value: Double, decimals: Int) {
    let power = (0..<decimals).reduce(1.0) { power, _ in power * 10 }
    let units = (value * power).rounded(.toNearestOrEven)
    if units.magnitude < 9e18 {
      text.append(units: Int64(units), decimals: decimals, trims: false)
    } else if value.isFinite {
      text.append(value.description)
    }
  }
}
