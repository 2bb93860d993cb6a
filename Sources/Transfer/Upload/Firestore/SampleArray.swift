internal import ChunkFormat
internal import Recording
internal import Values

/// A chunk's samples in the form that the researchers' programs read: an array of maps that contain
/// numbers, encoded and ready to be sent.
struct SampleArray: Hashable, Sendable {
  /// The encoded array in its REST form.
  var json: [UInt8]
  /// The number of samples, each of which is a map.
  var count: Int
  /// The array's size in bytes, as counted by the database.
  var size: Int

  /// The sizes in bytes, as counted by the database, of a sample without a position, of its
  /// position, and of its altitude.
  private static let plainSize = 18 + 17 + 17 + 17
  private static let positionSize = 21 + 22
  private static let altitudeSize = 21

  /// Encodes samples one after another.
  struct Writer {
    private var text: JSONBytes
    private var count = 0
    private var size = 0
    private let clock: ClockTable
    private let scale: Float
    private let isInteger: Bool

    /// The clock table determines the samples' times.
    init(_ stream: StreamDescription, clock: ClockTable, capacity: Int) {
      // A sample needs at most about 370 bytes.
      text = JSONBytes(capacity: 64 + capacity * 370)
      text.append(Self.arrayStart)
      self.clock = clock
      scale = Float(stream.countsPerUnit)
      isInteger = stream.rawForm == .integer
    }

    /// Appends a sample. Returns `false` if the sample's time is unknown.
    mutating func append(_ time: BootTime, _ position: PositionTag?, x: Int32, y: Int32, z: Int32)
      -> Bool
    {
      guard let utc = clock.utc(at: time) else { return false }
      text.append(count > 0 ? Self.nextSample : Self.firstSample)
      count += 1
      size += SampleArray.plainSize
      // The time is truncated to microseconds, as in an export.
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

    /// Divides in 32-bit floating-point arithmetic and then widens the result, as the researchers'
    /// own program does.
    @inline(__always)
    private func value(_ raw: Int32) -> Double {
      Double((isInteger ? Float(raw) : Float(bitPattern: UInt32(bitPattern: raw))) / scale)
    }

    /// Rounds halves to even, as an export does, so that the document and the export contain the
    /// same number.
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

  /// The gyroscope's range in degrees per second. At ±2,000, a degree per second equals 16.4
  /// counts.
  var degreesPerSecond: Double {
    // A range has at most three decimals, but the division may yield a value such as
    // 2000.0000000000002.
    (32_800 / countsPerUnit * 1_000).rounded() / 1_000
  }
}
