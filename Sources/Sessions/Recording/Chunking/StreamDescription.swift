internal import Values

/// Description of one stream: the signal, its unit, and the conversion of raw values.
///
/// The command line, the store and the exports all use it.
public struct StreamDescription: Hashable, Sendable {
  /// The way in which samples lost between the board and the gateway are counted.
  public enum LossAccounting: UInt8, Hashable, Sendable {
    /// The board numbers its packets, or counts its samples separately, so every lost sample is
    /// known.
    case counted = 0
    /// The board counts nothing: losses are estimated from timing.
    case estimated = 1
  }

  /// The form of the 32 bits of a raw value.
  public enum RawForm: UInt8, Hashable, Sendable, CaseIterable {
    /// An integer as the sensor counts it.
    case integer = 0
    /// The bit pattern of an IEEE 754 number of 32 bits, as the board computed it.
    case float = 1
  }

  /// Name of the signal, such as `acceleration`.
  public var signal: String
  /// Unit of the values, such as `g`.
  public var unit: String
  /// Names of the axes in the order of a sample's values, 1 to 4.
  public var axes: [String]
  /// The form of the raw values.
  public var rawForm: RawForm
  /// Raw counts per unit; a value is its raw number divided by this.
  public var countsPerUnit: Double
  /// Largest magnitude that the sensor is configured to measure, in the unit; larger values are
  /// clipped. `nil` if there is no such limit, or if it is unknown.
  public var range: Double?
  /// Samples per second as configured; the board's own clock may be off by a percent.
  public var rate: Double
  public var lossAccounting: LossAccounting
  /// Whether the board stamps each sample with its own clock.
  public var hasBoardTicks: Bool
  /// Bits of the board's packet counter. With fewer than 32, the numbers do not show a loss of a
  /// whole cycle. The value matters only while recording, and is not stored.
  public var counterBits: Int
  /// Whether packets carry no number, and the board counts the samples separately. This too matters
  /// only while recording, and in the tail of an interrupted recorder.
  public var isTallied = false

  public init(
    signal: String, unit: String, axes: [String] = Self.vectorAxes, rawForm: RawForm = .integer,
    countsPerUnit: Double, range: Double? = nil, rate: Double, lossAccounting: LossAccounting,
    hasBoardTicks: Bool = false, counterBits: Int = 32
  ) {
    self.signal = signal
    self.unit = unit
    self.axes = axes
    self.rawForm = rawForm
    self.countsPerUnit = countsPerUnit
    self.range = range
    self.rate = rate
    self.lossAccounting = lossAccounting
    self.hasBoardTicks = hasBoardTicks
    self.counterBits = counterBits
  }

  /// The axes of most sensors.
  public static let vectorAxes = ["x", "y", "z"]

  /// Seconds from one tick of a board's clock to the next, in the unit in which boards send it.
  public static let secondsPerBoardTick = 48.0 / 32_768

  /// The most axes a sample has.
  public static let maximumAxisCount = 4

  /// Names for axes of which only the number is known.
  public static func unnamedAxes(_ count: Int) -> [String] {
    count == 1 ? ["value"] : Array(["x", "y", "z", "w"].prefix(count))
  }

  /// Number of axes of a sample.
  public var axisCount: Int { axes.count }

  /// The range for people, as in `±16 g`. The range of a single axis, such as light, begins at
  /// zero: `up to 64000 lx`.
  public var rangeText: String? {
    range.map { range in
      (axisCount > 1 ? "±" : "up to ") + JSONValue.number(range).text + " " + unit
    }
  }

  /// Whether a number is a valid range.
  public static func isRange(_ number: Double) -> Bool { number.isFinite && number > 0 }

  /// Whether both describe the same stream. Earlier versions stored no ranges, so a range that only
  /// one of the two has is ignored, like fields that are never stored.
  public func agrees(with other: StreamDescription) -> Bool {
    var other = other
    (other.counterBits, other.isTallied) = (counterBits, isTallied)
    if range == nil || other.range == nil { other.range = range }
    return self == other
  }

  /// A raw value in the stream's unit.
  ///
  /// Inlinable, since an export calls it for every value.
  @inlinable public func value(of raw: Int32) -> Double {
    switch rawForm {
    case .integer: Double(raw) / countsPerUnit
    case .float: Double(Float(bitPattern: UInt32(bitPattern: raw))) / countsPerUnit
    }
  }
}

extension StreamDescription {
  /// The reason why a description from elsewhere is invalid; `nil` if it is valid.
  public var fault: String? {
    guard rate.isFinite, countsPerUnit.isFinite, range?.isFinite ?? true else {
      return "a number of its stream is invalid"
    }
    guard !signal.isEmpty else { return "its signal has no name" }
    guard !axes.contains("") else { return "an axis of its stream has no name" }
    if let fault = ([signal, unit] + axes).lazy.compactMap({ PlainText.fault(in: $0) }).first {
      return "a text of its stream \(fault)"
    }
    guard signal.utf8.count <= Self.longestSignal else {
      return "the name of its signal has more than \(Self.longestSignal) bytes"
    }
    return nil
  }

  /// Longest name of a signal from elsewhere, in bytes: databases use it in the keys of rows.
  private static let longestSignal = 200
}
