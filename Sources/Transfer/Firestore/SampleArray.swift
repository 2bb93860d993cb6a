internal import ChunkFormat
internal import Recording
internal import Values

/// The samples of a chunk as the researchers' programs read them: an array of maps of numbers,
/// ready to be sent.
struct SampleArray: Hashable, Sendable {
  /// The value as REST has it.
  var json: [UInt8]
  /// How many samples, each a map.
  var count: Int
  /// Bytes the database counts for it.
  var size: Int

  /// Bytes the database counts for a sample without a position, for what a position adds to it, and
  /// for the altitude of one.
  private static let plainSize = 18 + 17 + 17 + 17
  private static let positionSize = 21 + 22
  private static let altitudeSize = 21

  /// Writes samples one after the other.
  struct Writer {
    private var text: JSONBytes
    private var count = 0
    private var size = 0
    private let clock: ClockTable
    private let scale: Float
    private let isInteger: Bool

    /// A writer of the samples of a stream that is dated by a clock.
    init(_ stream: StreamDescription, clock: ClockTable, capacity: Int) {
      // 370 bytes are what a sample has at most, nearly.
      text = JSONBytes(capacity: 64 + capacity * 370)
      text.append(Self.arrayStart)
      self.clock = clock
      scale = Float(stream.countsPerUnit)
      isInteger = stream.rawForm == .integer
    }

    /// Appends a sample: whether its time is known.
    mutating func append(_ time: BootTime, _ position: PositionTag?, x: Int32, y: Int32, z: Int32)
      -> Bool
    {
      guard let utc = clock.utc(at: time) else { return false }
      text.append(count > 0 ? Self.nextSample : Self.firstSample)
      count += 1
      size += SampleArray.plainSize
      // To the microsecond like an export, which cuts the rest.
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

    /// The bytes written.
    consuming func finish() -> SampleArray {
      text.append(Self.arrayEnd)
      return SampleArray(json: text.bytes, count: count, size: size)
    }

    /// As the researchers' own program computes it: a division of 32 bits, widened.
    @inline(__always)
    private func value(_ raw: Int32) -> Double {
      Double((isInteger ? Float(raw) : Float(bitPattern: UInt32(bitPattern: raw))) / scale)
    }

    /// Rounded as an export rounds, halves to even, so that both have the same number.
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
  /// Whether its samples are what `gscope_data` holds.
  var isGyroscope: Bool {
    signal == "angular_velocity" && axisCount == 3
  }

  /// The gyroscope's range in degrees per second: ±2,000 are counted with 16.4 a degree.
  var degreesPerSecond: Double {
    // No range has a fraction that is less than this; the quotient alone may be 2000.0000000000002.
    (32_800 / countsPerUnit * 1_000).rounded() / 1_000
  }
}
