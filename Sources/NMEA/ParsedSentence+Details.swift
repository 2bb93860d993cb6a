public import Recording

/// The sentences that add to a position: dimensions, movement, date.
extension ParsedSentence {
  /// Active satellites. A receiver of several constellations sends one for each.
  public struct GSA: Hashable, Sendable {
    /// What kind of solution there is.
    public enum Mode: Int, Comparable, Sendable {
      /// None.
      case noFix = 1
      /// Without altitude.
      case twoDimensional = 2
      /// With altitude.
      case threeDimensional = 3

      /// Orders from none to best.
      public static func < (left: Mode, right: Mode) -> Bool { left.rawValue < right.rawValue }
    }

    /// What kind of solution there is.
    public var mode: Mode
    /// Horizontal dilution of precision.
    public var hdop: Double?

    init(_ sentence: borrowing Sentence) throws(SentenceFault) {
      guard sentence.fieldCount > 17 else { throw .tooFewFields }
      guard let mode = sentence.unsigned(2).flatMap(Mode.init(rawValue:)) else { throw .badField }
      self.mode = mode
      // One maker lists 24 satellites instead of 12, and what we know of the fields behind is off.
      hdop = sentence.fieldCount <= 19 ? sentence.dilution(16) : nil
    }
  }

  /// Course and speed over ground, for receivers that leave them out of RMC.
  public struct VTG: Hashable, Sendable {
    /// Degrees from true north.
    public var track: Double?
    /// Metres per second over ground.
    public var speed: Double?

    init(_ sentence: borrowing Sentence) throws(SentenceFault) {
      guard sentence.fieldCount > 5 else { throw .tooFewFields }
      guard sentence.letter(9) != UInt8(ascii: "N") else { return }
      track = ParsedSentence.track(sentence.decimal(1))
      speed =
        sentence.decimal(5).flatMap(ParsedSentence.metresPerSecond(knots:))
        ?? sentence.decimal(7).flatMap { ParsedSentence.metresPerSecond(knots: $0 / 1.852) }
    }
  }

  /// Time and date, for receivers without RMC.
  public struct ZDA: Hashable, Sendable {
    /// Time of the epoch.
    public var time: TimeOfDay?
    /// The day, as the instant at which it begins.
    public var date: UTCTime?

    init(_ sentence: borrowing Sentence) throws(SentenceFault) {
      guard sentence.fieldCount > 4 else { throw .tooFewFields }
      time = try sentence.time(1)
      if let day = sentence.unsigned(2), let month = sentence.unsigned(3),
        let year = sentence.unsigned(4)
      {
        date = .midnight(year: year, month: month, day: day)
      }
    }
  }
}
