public import Values

/// Sentences that add the fix mode, satellites, errors, movement or date to a position.
extension ParsedSentence {
  /// Fix mode, satellites used and dilution of precision. A receiver that uses several
  /// constellations sends one sentence for each of them.
  public struct GSA: Hashable, Sendable {
    /// Whether the receiver has no fix, a 2D fix or a 3D fix.
    public enum Mode: Int, Comparable, Sendable {
      /// The receiver has no solution.
      case noFix = 1
      /// The solution contains a position without altitude.
      case twoDimensional = 2
      /// The solution contains a position with altitude.
      case threeDimensional = 3

      public static func < (left: Mode, right: Mode) -> Bool { left.rawValue < right.rawValue }
    }

    /// The fix mode, or `nil` if the field is empty.
    public var mode: Mode?
    /// Number of satellites in the sentence's list.
    public var satellites: UInt8
    /// The listed satellites' constellation, or `unknown` if the sentence does not report it.
    public var system: Satellite.System
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Vertical dilution of precision.
    public var vdop: Double?
    /// A hash of the satellite list, used to detect repeated lists. Different lists usually have
    /// different hashes.
    var fingerprint: UInt64

    init(_ sentence: borrowing Sentence) throws(SentenceFault) {
      guard sentence.fieldCount > 17 else { throw .tooFewFields }
      if !sentence.isEmpty(2) {
        guard let mode = sentence.unsigned(2).flatMap(Mode.init(rawValue:)) else {
          throw .badStatus
        }
        self.mode = mode
      }
      let list = Self.list(of: sentence)
      system = Self.system(of: sentence)
      satellites = 0
      fingerprint = UInt64(system.rawValue)
      for field in list where !sentence.isEmpty(field) {
        satellites += 1
        // Knuth's multiplier spreads the satellite numbers over all bits of the word.
        fingerprint = (fingerprint ^ sentence.word(field)) &* 0x9e37_79b9_7f4a_7c15
      }
      hdop = sentence.dilution(list.upperBound + 1)
      vdop = sentence.dilution(list.upperBound + 2)
    }

    /// Returns the range of fields that list satellites: twelve fields, or 24 in one manufacturer's
    /// sentences.
    static func list(of sentence: borrowing Sentence) -> Range<Int> {
      sentence.fieldCount >= 30 ? 3..<27 : 3..<15
    }

    /// Returns the constellation from its own field, or from the talker if that field is missing.
    /// Most receivers omit the field.
    static func system(of sentence: borrowing Sentence) -> Satellite.System {
      let field = list(of: sentence).upperBound + 3
      if let number = sentence.unsigned(field), (1...6).contains(number) {
        return Satellite.System(rawValue: UInt8(number)) ?? .unknown
      }
      return Satellite.System(talkerOf: sentence)
    }
  }

  /// Satellites in view: their total number, and data for up to four of them.
  public struct GSV: Hashable, Sendable {
    /// Number of sentences in the group for this constellation and signal.
    public var total: Int
    /// Index of this sentence within its group, starting at 1.
    public var index: Int
    /// Number of satellites in view, according to the receiver.
    public var inView: Int?

    init(_ sentence: borrowing Sentence) throws(SentenceFault) {
      guard sentence.fieldCount > 3 else { throw .tooFewFields }
      if sentence.isEmpty(1), sentence.isEmpty(2), sentence.isEmpty(3) {
        // A receiver without satellites in view may leave all fields empty.
        (total, index) = (1, 1)
        return
      }
      guard let total = sentence.unsigned(1), let index = sentence.unsigned(2), index >= 1,
        index <= total
      else { throw .badField }
      self.total = total
      self.index = index
      inView = sentence.unsigned(3)
    }
  }

  /// Standard deviations of the position.
  public struct GST: Hashable, Sendable {
    /// Time of the epoch to which the standard deviations apply. This may be the previous epoch.
    public var time: TimeOfDay?
    /// Standard deviation in the north-south direction, in metres.
    public var latitude: Double?
    /// Standard deviation in the east-west direction, in metres.
    public var longitude: Double?
    /// Standard deviation of the altitude, in metres.
    public var altitude: Double?

    init(_ sentence: borrowing Sentence) throws(SentenceFault) {
      guard sentence.fieldCount > 8 else { throw .tooFewFields }
      time = try sentence.time(1)
      latitude = sentence.decimal(6, in: ParsedSentence.errors)
      longitude = sentence.decimal(7, in: ParsedSentence.errors)
      altitude = sentence.decimal(8, in: ParsedSentence.errors)
    }
  }

  /// Plausible standard deviations in metres. A receiver with a larger error does not know its
  /// position.
  static let errors = 0.0...100_000.0

  /// Course and speed over ground, for receivers that omit them from RMC.
  public struct VTG: Hashable, Sendable {
    /// Course over ground in degrees from true north.
    public var track: Double?
    /// Speed over ground in metres per second.
    public var speed: Double?
    /// Whether the sentence marks both course and speed as unknown.
    public var isVoid = false

    init(_ sentence: borrowing Sentence) throws(SentenceFault) {
      guard sentence.fieldCount > 5 else { throw .tooFewFields }
      if sentence.letter(9) == UInt8(ascii: "N") {
        isVoid = true
        return
      }
      track = ParsedSentence.track(sentence.decimal(1))
      speed =
        sentence.decimal(5).flatMap(ParsedSentence.metresPerSecond(knots:))
        ?? sentence.decimal(7).flatMap { ParsedSentence.metresPerSecond(knots: $0 / 1.852) }
    }
  }

  /// Time and date, for receivers that do not send RMC.
  public struct ZDA: Hashable, Sendable {
    public var time: TimeOfDay?
    /// Midnight at the start of the day given in the sentence.
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
