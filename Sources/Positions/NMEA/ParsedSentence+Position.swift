public import Recording
public import Values

/// Sentences that contain a position. Validity is checked before coordinates, because receivers
/// without a fix send values like `8960.0000,N`.
extension ParsedSentence {
  /// Recommended minimum: time, validity, position, movement and date.
  public struct RMC: Hashable, Sendable {
    /// Always present if the sentence contains a position.
    public var time: TimeOfDay?
    /// The position, or `nil` if the sentence reports no fix.
    public var position: Position?
    /// Assumed to be autonomous if this sentence does not report it.
    public var quality: Fix.Quality
    /// Speed over ground in metres per second.
    public var speed: Double?
    /// Course over ground in degrees from true north.
    public var track: Double?
    /// Midnight at the start of the day given in the sentence.
    public var date: UTCTime?

    init(_ sentence: borrowing Sentence) throws(SentenceFault) {
      guard sentence.fieldCount > 9 else { throw .tooFewFields }
      time = try sentence.time(1)
      let isValid = try ParsedSentence.isValid(sentence, status: 2, mode: 12)
      quality = ParsedSentence.quality(mode: sentence.letter(12))
      if isValid {
        guard time != nil else { throw .badTime }
        position = try sentence.position(from: 3)
      }
      speed = sentence.decimal(7).flatMap(ParsedSentence.metresPerSecond(knots:))
      track = ParsedSentence.track(sentence.decimal(8))
      date = sentence.shortDate(9)
    }
  }

  /// Fix data: position, quality and altitude.
  public struct GGA: Hashable, Sendable {
    /// Always present if the sentence contains a position.
    public var time: TimeOfDay?
    /// The position, or `nil` if the sentence reports no fix.
    public var position: Position?
    /// `nil` if there is no fix.
    public var quality: Fix.Quality?
    /// Number of satellites used in the solution.
    public var satellites: UInt8?
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Altitude above mean sea level, in metres.
    public var altitudeMSL: Double?
    /// Height of the geoid above the ellipsoid, in metres.
    public var geoidSeparation: Double?

    init(_ sentence: borrowing Sentence) throws(SentenceFault) {
      // The sentence must contain the fields up to the quality. Some receivers omit the fields
      // after it.
      guard sentence.fieldCount > 6 else { throw .tooFewFields }
      time = try sentence.time(1)
      if !sentence.isEmpty(6), sentence.unsigned(6) != 0 {
        guard
          let quality = sentence.unsigned(6).flatMap(UInt8.init(exactly:))
            .flatMap(Fix.Quality.init(rawValue:))
        else { throw .badStatus }
        guard time != nil else { throw .badTime }
        self.quality = quality
        position = try sentence.position(from: 2)
      }
      satellites = sentence.unsigned(7).flatMap(UInt8.init(exactly:))
      hdop = sentence.dilution(8)
      altitudeMSL = sentence.metres(9, in: ParsedSentence.altitudes)
      geoidSeparation = sentence.metres(11, in: ParsedSentence.geoidSeparations)
    }
  }

  /// Fix data from several constellations, each with its own mode letter.
  public struct GNS: Hashable, Sendable {
    /// Always present if the sentence contains a position.
    public var time: TimeOfDay?
    /// The position, or `nil` if the sentence reports no fix.
    public var position: Position?
    /// Quality of the position, combined from the constellations' modes, or `nil` if there is no
    /// fix.
    public var quality: Fix.Quality?
    /// Number of satellites used in the solution.
    public var satellites: UInt8?
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Altitude above mean sea level, in metres.
    public var altitudeMSL: Double?
    /// Height of the geoid above the ellipsoid, in metres.
    public var geoidSeparation: Double?

    init(_ sentence: borrowing Sentence) throws(SentenceFault) {
      guard sentence.fieldCount > 6 else { throw .tooFewFields }
      time = try sentence.time(1)
      let modes = sentence.range(6)
      for position in modes {
        let letter = sentence[position]
        guard letter >= UInt8(ascii: "A"), letter <= UInt8(ascii: "Z") else { throw .badStatus }
        guard letter != UInt8(ascii: "N") else { continue }
        let other = ParsedSentence.quality(mode: letter)
        quality = quality.map { Self.better($0, other) } ?? other
      }
      if quality != nil {
        guard time != nil else { throw .badTime }
        position = try sentence.position(from: 2)
      }
      satellites = sentence.unsigned(7).flatMap(UInt8.init(exactly:))
      hdop = sentence.dilution(8)
      altitudeMSL = sentence.decimal(9, in: ParsedSentence.altitudes)
      geoidSeparation = sentence.decimal(10, in: ParsedSentence.geoidSeparations)
    }

    /// Returns the combined quality of two constellations. A simulated or manual quality takes
    /// precedence over any other. A measured quality takes precedence over an estimated one.
    private static func better(_ one: Fix.Quality, _ other: Fix.Quality) -> Fix.Quality {
      let order: [Fix.Quality] = [
        .simulated, .manual, .realTimeKinematic, .floatRealTimeKinematic, .precise, .differential,
        .autonomous, .estimated,
      ]
      return order.first { $0 == one || $0 == other } ?? one
    }
  }

  /// Geographic position. Used if no GGA, GNS or RMC contains the position, and to check whether
  /// the position is valid.
  public struct GLL: Hashable, Sendable {
    /// Always present if the sentence contains a position.
    public var time: TimeOfDay?
    /// The position, or `nil` if the sentence reports no fix.
    public var position: Position?
    /// Assumed to be autonomous if this sentence does not report it.
    public var quality: Fix.Quality

    init(_ sentence: borrowing Sentence) throws(SentenceFault) {
      guard sentence.fieldCount > 6 else { throw .tooFewFields }
      time = try sentence.time(5)
      let isValid = try ParsedSentence.isValid(sentence, status: 6, mode: 7)
      quality = ParsedSentence.quality(mode: sentence.letter(7))
      if isValid {
        guard time != nil else { throw .badTime }
        position = try sentence.position(from: 1)
      }
    }
  }

  /// Returns whether the status and mode letters together indicate a fix.
  private static func isValid(
    _ sentence: borrowing Sentence, status: Int, mode: Int
  ) throws(SentenceFault) -> Bool {
    switch sentence.letter(status) {
    case UInt8(ascii: "A"): sentence.letter(mode) != UInt8(ascii: "N")
    case UInt8(ascii: "V"): false
    default: throw .badStatus
    }
  }

  /// Returns the quality for a mode letter. Old receivers do not send one, and their positions are
  /// assumed to be autonomous.
  static func quality(mode: UInt8?) -> Fix.Quality {
    switch mode {
    case UInt8(ascii: "D"): .differential
    case UInt8(ascii: "E"): .estimated
    case UInt8(ascii: "F"): .floatRealTimeKinematic
    case UInt8(ascii: "M"): .manual
    case UInt8(ascii: "P"): .precise
    case UInt8(ascii: "R"): .realTimeKinematic
    case UInt8(ascii: "S"): .simulated
    default: .autonomous
    }
  }

  /// Plausible altitudes in metres: from far below the shore of the Dead Sea to above any balloon.
  static let altitudes = -2_000.0...100_000.0
  /// Plausible geoid separations in metres. The geoid is between -107 and +86 metres.
  static let geoidSeparations = -200.0...200.0

  /// Converts knots (1,852 metres per hour) to metres per second. Returns `nil` for an implausible
  /// speed.
  static func metresPerSecond(knots: Double) -> Double? {
    let speed = knots * 1_852 / 3_600
    return speed >= 0 && speed < 10_000 ? speed : nil
  }

  /// Returns a direction from 0 up to but not including 360 degrees, or `nil` if the value is out
  /// of range.
  static func track(_ degrees: Double?) -> Double? {
    guard let degrees, degrees >= 0, degrees <= 360 else { return nil }
    return degrees == 360 ? 0 : degrees
  }
}
