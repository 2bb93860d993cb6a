public import Recording
public import Values

/// Sentences with a position. Validity is checked before coordinates: receivers without a fix fill
/// those with values like `8960.0000,N`.
extension ParsedSentence {
  /// Recommended minimum.
  public struct RMC: Hashable, Sendable {
    /// Time of the epoch; always present together with the position.
    public var time: TimeOfDay?
    /// The position; `nil` if the sentence reports no fix.
    public var position: Position?
    /// Quality of the position, as far as this sentence states it.
    public var quality: Fix.Quality
    /// Metres per second over ground.
    public var speed: Double?
    /// Degrees from true north.
    public var track: Double?
    /// The day, as the instant at which it begins.
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

  /// Fix data.
  public struct GGA: Hashable, Sendable {
    /// Time of the epoch; always present together with the position.
    public var time: TimeOfDay?
    /// The position; `nil` if the sentence reports no fix.
    public var position: Position?
    /// Quality of the position; `nil` without a fix.
    public var quality: Fix.Quality?
    /// Satellites in the solution.
    public var satellites: UInt8?
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Metres above mean sea level.
    public var altitudeMSL: Double?
    /// Height of the geoid above the ellipsoid, metres.
    public var geoidSeparation: Double?

    init(_ sentence: borrowing Sentence) throws(SentenceFault) {
      // Time, position and quality are required; some receivers omit the later fields.
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

  /// Fix data of several constellations, each with its own mode.
  public struct GNS: Hashable, Sendable {
    /// Time of the epoch; always present together with the position.
    public var time: TimeOfDay?
    /// The position; `nil` if the sentence reports no fix.
    public var position: Position?
    /// Combined quality of the constellations; `nil` without a fix.
    public var quality: Fix.Quality?
    /// Satellites in the solution.
    public var satellites: UInt8?
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Metres above mean sea level.
    public var altitudeMSL: Double?
    /// Height of the geoid above the ellipsoid, metres.
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

    /// Combined quality of two constellations. A simulated or manual one invalidates the other; a
    /// measured one makes up for an estimated one.
    private static func better(_ one: Fix.Quality, _ other: Fix.Quality) -> Fix.Quality {
      let order: [Fix.Quality] = [
        .simulated, .manual, .realTimeKinematic, .floatRealTimeKinematic, .precise, .differential,
        .autonomous, .estimated,
      ]
      return order.first { $0 == one || $0 == other } ?? one
    }
  }

  /// Geographic position: a fallback, and one more source on validity.
  public struct GLL: Hashable, Sendable {
    /// Time of the epoch; always present together with the position.
    public var time: TimeOfDay?
    /// The position; `nil` if the sentence reports no fix.
    public var position: Position?
    /// Quality of the position, as far as this sentence states it.
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

  /// Whether status and mode letters together indicate a fix.
  private static func isValid(
    _ sentence: borrowing Sentence, status: Int, mode: Int
  ) throws(SentenceFault) -> Bool {
    switch sentence.letter(status) {
    case UInt8(ascii: "A"): sentence.letter(mode) != UInt8(ascii: "N")
    case UInt8(ascii: "V"): false
    default: throw .badStatus
    }
  }

  /// Quality by mode letter. Receivers older than the letter send none and are autonomous.
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

  /// Plausible altitudes in metres: from far below the Dead Sea's shore to above any balloon.
  static let altitudes = -2_000.0...100_000.0
  /// Plausible separations; the geoid is between -107 and +86 metres.
  static let geoidSeparations = -200.0...200.0

  /// Metres per second from knots (1,852 metres an hour); `nil` for impossible speeds.
  static func metresPerSecond(knots: Double) -> Double? {
    let speed = knots * 1_852 / 3_600
    return speed >= 0 && speed < 10_000 ? speed : nil
  }

  /// A direction from 0 up to, but not including, 360 degrees; `nil` if out of range.
  static func track(_ degrees: Double?) -> Double? {
    guard let degrees, degrees >= 0, degrees <= 360 else { return nil }
    return degrees == 360 ? 0 : degrees
  }
}
