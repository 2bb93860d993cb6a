public import Recording
public import Values

/// Proprietary sentences, each sent only by one manufacturer's receivers.
extension ParsedSentence {
  /// The position error that a Garmin receiver estimates. Half of all positions have a smaller
  /// error.
  public struct PGRME: Hashable, Sendable {
    /// Horizontal error in metres.
    public var horizontal: Double?
    /// Vertical error in metres.
    public var vertical: Double?

    init(_ sentence: borrowing Sentence) throws(SentenceFault) {
      guard sentence.fieldCount > 4 else { throw .tooFewFields }
      horizontal = sentence.metres(1, in: ParsedSentence.errors)
      vertical = sentence.metres(3, in: ParsedSentence.errors)
    }
  }

  /// A u-blox sentence that contains a complete fix.
  public struct UbloxPosition: Hashable, Sendable {
    /// Always present if the sentence contains a position.
    public var time: TimeOfDay?
    /// The position, or `nil` if the sentence reports no fix.
    public var position: Position?
    /// `nil` if there is no fix.
    public var quality: Fix.Quality?
    /// Whether the fix is 2D or 3D, if the sentence says so.
    public var mode: GSA.Mode?
    /// Altitude above the ellipsoid in metres.
    public var altitudeHAE: Double?
    /// Horizontal standard deviation in metres.
    public var horizontal: Double?
    /// Standard deviation of the altitude in metres.
    public var vertical: Double?
    /// Speed over ground in metres per second.
    public var speed: Double?
    /// Course over ground in degrees from true north.
    public var track: Double?
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Number of satellites used in the solution.
    public var satellites: UInt8?

    init(_ sentence: borrowing Sentence) throws(SentenceFault) {
      guard sentence.fieldCount > 18 else { throw .tooFewFields }
      time = try sentence.time(2)
      let status = try Self.status(sentence.word(8))
      if let status {
        guard time != nil else { throw .badTime }
        position = try sentence.position(from: 3)
        quality = status.quality
        mode = status.mode
      }
      altitudeHAE = sentence.decimal(7, in: ParsedSentence.altitudes)
      horizontal = sentence.decimal(9, in: ParsedSentence.errors)
      vertical = sentence.decimal(10, in: ParsedSentence.errors)
      speed = sentence.decimal(11).flatMap { ParsedSentence.metresPerSecond(knots: $0 / 1.852) }
      track = ParsedSentence.track(sentence.decimal(12))
      hdop = sentence.dilution(15)
      satellites = sentence.unsigned(18).flatMap(UInt8.init(exactly:))
    }

    /// Returns the two status letters' meaning, or `nil` for no fix.
    private static func status(
      _ word: UInt64
    ) throws(SentenceFault) -> (quality: Fix.Quality, mode: GSA.Mode?)? {
      switch word {
      case 0x4e46, 0x5454: nil  // NF; TT, which is time alone
      case 0x4452: (.estimated, nil)  // DR
      case 0x4732: (.autonomous, .twoDimensional)  // G2
      case 0x4733: (.autonomous, .threeDimensional)  // G3
      case 0x4432: (.differential, .twoDimensional)  // D2
      case 0x4433: (.differential, .threeDimensional)  // D3
      // The fix combines satellites with dead reckoning, so the position is still measured.
      case 0x524b: (.autonomous, nil)  // RK
      default: throw .badStatus
      }
    }
  }

  /// A u-blox sentence with the time and date.
  public struct UbloxTime: Hashable, Sendable {
    public var time: TimeOfDay?
    /// Midnight at the start of the day given in the sentence.
    public var date: UTCTime?

    init(_ sentence: borrowing Sentence) throws(SentenceFault) {
      guard sentence.fieldCount > 3 else { throw .tooFewFields }
      time = try sentence.time(2)
      date = sentence.shortDate(3)
    }
  }
}
