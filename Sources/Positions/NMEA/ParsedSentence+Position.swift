public import Recording
public import Values

/// The sentences that hold a position. Validity is looked at before coordinates: receivers without
/// a fix write things like `8960.0000,N` there.
extension ParsedSentence {
  /// Recommended minimum.
  public struct RMC: Hashable, Sendable {
    /// Time of the epoch; always there when the position is.
    public var time: TimeOfDay?
    /// Where; `nil` when the sentence says that it has no fix.
    public var position: Position?
    /// How the position was found, as far as this sentence tells.
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
    /// Time of the epoch; always there when the position is.
    public var time: TimeOfDay?
    /// Where; `nil` when the sentence says that it has no fix.
    public var position: Position?
    /// How the position was found; `nil` without a fix.
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
      // Time, position and quality; units have left out what follows.
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

  /// Fix data of several constellations, each with a mode of its own.
  public struct GNS: Hashable, Sendable {
    /// Time of the epoch; always there when the position is.
    public var time: TimeOfDay?
    /// Where; `nil` when the sentence says that it has no fix.
    public var position: Position?
    /// How the position was found, by the best of the constellations; `nil` without a fix.
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

    /// What two constellations make together: what is made up spoils the rest, what is estimated
    /// is made good by it.
    private static func better(_ one: Fix.Quality, _ other: Fix.Quality) -> Fix.Quality {
      let order: [Fix.Quality] = [
        .simulated, .manual, .realTimeKinematic, .floatRealTimeKinematic, .precise, .differential,
        .autonomous, .estimated,
      ]
      return order.first { $0 == one || $0 == other } ?? one
    }
  }

  /// Geographic position: a fallback, and one more voice on validity.
  public struct GLL: Hashable, Sendable {
    /// Time of the epoch; always there when the position is.
    public var time: TimeOfDay?
    /// Where; `nil` when the sentence says that it has no fix.
    public var position: Position?
    /// How the position was found, as far as this sentence tells.
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

  /// Whether status and mode letters together say that there is a fix.
  private static func isValid(
    _ sentence: borrowing Sentence, status: Int, mode: Int
  ) throws(SentenceFault) -> Bool {
    switch sentence.letter(status) {
    case UInt8(ascii: "A"): sentence.letter(mode) != UInt8(ascii: "N")
    case UInt8(ascii: "V"): false
    default: throw .badStatus
    }
  }

  /// Quality by mode letter. Units older than the letter send none and are autonomous.
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

  /// Below the Dead Sea's shore by a wide margin, and above any balloon.
  static let altitudes = -2_000.0...100_000.0
  /// The geoid lies between -107 and +86 metres.
  static let geoidSeparations = -200.0...200.0

  /// Knots, which are 1,852 metres an hour; `nil` for what nothing moves at.
  static func metresPerSecond(knots: Double) -> Double? {
    let speed = knots * 1_852 / 3_600
    return speed >= 0 && speed < 10_000 ? speed : nil
  }

  /// A direction from 0 up to, but not including, 360 degrees.
  static func track(_ degrees: Double?) -> Double? {
    guard let degrees, degrees >= 0, degrees <= 360 else { return nil }
    return degrees == 360 ? 0 : degrees
  }
}
