internal import ChunkFormat
internal import Recording
internal import Values

/// The samples of a chunk in the form that the researchers' programs read: an array of maps of
/// numbers, ready to send.
struct SampleArray: Hashable, Sendable {
  /// The value in its REST form.
  var json: [UInt8]
  /// The number of samples, each a map.
  var count: Int
  /// Bytes the database counts for the array.
  var size: Int

  /// Bytes the database counts for a sample without a position, for a position, and for an
  /// altitude.
  private static let plainSize = 18 + 17 + 17 + 17
  private static let positionSize = 21 + 22
  private static let altitudeSize = 21

  /// Writes samples one after another.
  struct Writer {
    private var text: JSONBytes
    private var count = 0
    private var size = 0
    private let clock: ClockTable
    private let scale: Float
    private let isInteger: Bool

    /// A writer for the samples of a stream, dated by a clock table.
    init(_ stream: StreamDescription, clock: ClockTable, capacity: Int) {
      // A sample takes at most about 370 bytes.
      text = JSONBytes(capacity: 64 + capacity * 370)
      text.append(Self.arrayStart)
      self.clock = clock
      scale = Float(stream.countsPerUnit)
      isInteger = stream.rawForm == .integer
    }

    /// Appends a sample. Returns `false` if its time is unknown.
    mutating func append(_ time: BootTime, _ position: PositionTag?, x: Int32, y: Int32, z: Int32)
      -> Bool
    {
      guard let utc = clock.utc(at: time) else { return false }
      text.append(count > 0 ? Self.nextSample : Self.firstSample)
      count += 1
      size += SampleArray.plainSize
      // To the microsecond, with the rest truncated, as in an export.
      text.append(units: Self.microseconds(utc), decimals: 6)
      if let position {
        size += SampleArray.positionSize
        text.append(Self.latitude)
        text.append(units: Self.units(position.latitude, 1e7), decimals: 7)
        text.append(Self.longitude)
        text.append(units: Self.units(position.longitude, 1e7), decimals: 7)
        if let altitude = position.altitudeMSL {
          size += SampleArray.altitudeSize
          text.append(Self.altitude)
          text.append(units: Self.units(altitude, 1e2), decimals: 2)
        }
      }
      text.append(Self.x)
      text.append(number: value(x))
      text.append(Self.y)
      text.append(number: value(y))
      text.append(Self.z)
      text.append(number: value(z))
      text.append(Self.sampleEnd)
      return true
    }

    consuming func finish() -> SampleArray {
      text.append(Self.arrayEnd)
      return SampleArray(json: text.bytes, count: count, size: size)
    }

    /// Computed as in the researchers' own program: a 32-bit division, then widened.
    @inline(__always)
    private func value(_ raw: Int32) -> Double {
      Double((isInteger ? Float(raw) : Float(bitPattern: UInt32(bitPattern: raw))) / scale)
    }

    /// Rounded like an export, halves to even, so that both contain the same number.
    @inline(__always)
    private static func units(_ value: Double, _ power: Double) -> Int64 {
      Int64(exactly: (value * power).rounded(.toNearestOrEven)) ?? 0
    }

    @inline(__always)
    private static func microseconds(_ time: UTCTime) -> Int64 {
      let (quotient, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000)
      return rest < 0 ? quotient - 1 : quotient
    }

    private static let arrayStart = #"{"arrayValue":{"values":["#
    private static let arrayEnd = "]}}"
    private static let firstSample = Array(
      #"{"mapValue":{"fields":{"timestamp":{"doubleValue":"#.utf8)
    private static let nextSample = Array(
      #",{"mapValue":{"fields":{"timestamp":{"doubleValue":"#.utf8)
    private static let latitude = Array(#"},"loc_latitude":{"doubleValue":"#.utf8)
    private static let longitude = Array(#"},"loc_longitude":{"doubleValue":"#.utf8)
    private static let altitude = Array(#"},"loc_altitude":{"doubleValue":"#.utf8)
    private static let x = Array(#"},"gscope_x":{"doubleValue":"#.utf8)
    private static let y = Array(#"},"gscope_y":{"doubleValue":"#.utf8)
    private static let z = Array(#"},"gscope_z":{"doubleValue":"#.utf8)
    private static let sampleEnd = Array("}}}}".utf8)
  }
}

extension StreamDescription {
  /// Whether `gscope_data` contains samples of this stream.
  var isGyroscope: Bool {
    signal == "angular_velocity" && axisCount == 3
  }

  /// The gyroscope's range in degrees per second: ±2,000 has 16.4 counts per degree per second.
  var degreesPerSecond: Double {
    // Ranges have at most three decimals; the quotient alone may be 2000.0000000000002.
    (32_800 / countsPerUnit * 1_000).rounded() / 1_000
  }
}
