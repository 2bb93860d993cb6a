public import Values

/// Sentences that add dimensions, movement or date to a position.
extension ParsedSentence {
  /// Active satellites. A receiver of several constellations sends one sentence for each.
  public struct GSA: Hashable, Sendable {
    /// The kind of solution.
    public enum Mode: Int, Comparable, Sendable {
      /// None.
      case noFix = 1
      /// Without altitude.
      case twoDimensional = 2
      /// With altitude.
      case threeDimensional = 3

      /// Orders the kinds from none to best.
      public static func < (left: Mode, right: Mode) -> Bool { left.rawValue < right.rawValue }
    }

    /// The kind of solution; `nil` if the field is empty.
    public var mode: Mode?
    /// Number of satellites in the list.
    public var satellites: UInt8
    /// The constellation of the satellites, as far as the sentence states it.
    public var system: Satellite.System
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Vertical dilution of precision.
    public var vdop: Double?
    /// Usually differs between different lists of satellites.
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
        // Knuth's multiplier spreads the numbers over the word.
        fingerprint = (fingerprint ^ sentence.word(field)) &* 0x9e37_79b9_7f4a_7c15
      }
      hdop = sentence.dilution(list.upperBound + 1)
      vdop = sentence.dilution(list.upperBound + 2)
    }

    /// The fields that list satellites: twelve, but one maker uses 24.
    static func list(of sentence: borrowing Sentence) -> Range<Int> {
      sentence.fieldCount >= 30 ? 3..<27 : 3..<15
    }

    /// The constellation by its own field, which is newer than most receivers, otherwise by talker.
    static func system(of sentence: borrowing Sentence) -> Satellite.System {
      let field = list(of: sentence).upperBound + 3
      if let number = sentence.unsigned(field), (1...6).contains(number) {
        return Satellite.System(rawValue: UInt8(number)) ?? .unknown
      }
      return Satellite.System(talkerOf: sentence)
    }
  }

  /// Satellites in view: their number, and data of up to four of them.
  public struct GSV: Hashable, Sendable {
    /// Number of sentences for this constellation and signal.
    public var total: Int
    /// Index of this sentence among them, from 1.
    public var index: Int
    /// Number of satellites in view.
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
    /// Time of the epoch, which may be the previous one.
    public var time: TimeOfDay?
    /// To the north, metres.
    public var latitude: Double?
    /// To the east, metres.
    public var longitude: Double?
    /// Of the altitude, metres.
    public var altitude: Double?

    init(_ sentence: borrowing Sentence) throws(SentenceFault) {
      guard sentence.fieldCount > 8 else { throw .tooFewFields }
      time = try sentence.time(1)
      latitude = sentence.decimal(6, in: ParsedSentence.errors)
      longitude = sentence.decimal(7, in: ParsedSentence.errors)
      altitude = sentence.decimal(8, in: ParsedSentence.errors)
    }
  }

  /// A receiver with an error beyond its horizon does not know its position.
  static let errors = 0.0...100_000.0

  /// Course and speed over ground, for receivers that leave them out of RMC.
  public struct VTG: Hashable, Sendable {
    /// Degrees from true north.
    public var track: Double?
    /// Metres per second over ground.
    public var speed: Double?
    /// Whether the sentence marks both as unknown.
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
