internal import Values

/// Describes a stream: its signal, its unit, and the conversion of its raw values.
///
/// The command line, the store and the exports all use this type.
public struct StreamDescription: Hashable, Sendable {
  /// The method by which samples lost between the board and the gateway are counted.
  public enum LossAccounting: UInt8, Hashable, Sendable {
    /// The board numbers its packets, or counts its samples separately, so every lost sample is
    /// known.
    case counted = 0
    /// The board counts nothing, so losses are estimated from timing.
    case estimated = 1
  }

  /// The number format of a 32-bit raw value.
  public enum RawForm: UInt8, Hashable, Sendable, CaseIterable {
    /// An integer, as counted by the sensor.
    case integer = 0
    /// The bit pattern of a 32-bit IEEE 754 number, as computed by the board.
    case float = 1
  }

  /// Name of the signal, such as `acceleration`.
  public var signal: String
  /// Unit of the values, such as `g`.
  public var unit: String
  /// Names of the axes in the order of a sample's values; one to four.
  public var axes: [String]
  public var rawForm: RawForm
  /// Raw counts per unit: dividing a raw value by this number gives the value in the unit.
  public var countsPerUnit: Double
  /// Largest magnitude that the sensor is configured to measure, in the stream's unit. Larger
  /// values are clipped. `nil` if there is no limit, or if it is unknown.
  public var range: Double?
  /// Configured number of samples per second. The board's own clock may deviate by one percent.
  public var rate: Double
  public var lossAccounting: LossAccounting
  /// Whether the board stamps each sample with its own clock.
  public var hasBoardTicks: Bool
  /// Number of bits in the board's packet counter. With fewer than 32 bits, the loss of a whole
  /// counter cycle is not visible in the numbers. Needed only while recording, and not stored.
  public var counterBits: Int
  /// Whether the board counts its samples separately, because its packets are not numbered. Needed
  /// only while recording, and when reading the tail left by an interrupted recorder.
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

  /// The axis names of most sensors.
  public static let vectorAxes = ["x", "y", "z"]

  /// Seconds per tick of a board's clock, as defined by the firmware.
  public static let secondsPerBoardTick = 48.0 / 32_768

  public static let maximumAxisCount = 4

  public static func unnamedAxes(_ count: Int) -> [String] {
    count == 1 ? ["value"] : Array(["x", "y", "z", "w"].prefix(count))
  }

  public var axisCount: Int { axes.count }

  /// The range as text, such as `±16 g`. The range of a signal with a single axis, such as light,
  /// begins at zero: `up to 64000 lx`.
  public var rangeText: String? {
    range.map { range in
      (axisCount > 1 ? "±" : "up to ") + JSONValue.number(range).text + " " + unit
    }
  }

  /// Whether a number is a valid measuring range.
  public static func isRange(_ number: Double) -> Bool { number.isFinite && number > 0 }

  /// Whether two descriptions describe the same stream. Earlier versions did not store ranges, so a
  /// range that appears in only one description is ignored, as are fields that are never stored.
  public func agrees(with other: StreamDescription) -> Bool {
    var other = other
    (other.counterBits, other.isTallied) = (counterBits, isTallied)
    if range == nil || other.range == nil { other.range = range }
    return self == other
  }

  /// Converts a raw value to the stream's unit.
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
  /// The reason why a description supplied by another program is invalid; `nil` if it is valid.
  public var fault: String? {
    guard rate.isFinite, countsPerUnit.isFinite, range?.isFinite ?? true else {
      return "a number in its stream's description is invalid"
    }
    guard !signal.isEmpty else { return "its signal has no name" }
    guard !axes.contains("") else { return "an axis of its stream has no name" }
    if let fault = ([signal, unit] + axes).lazy.compactMap({ PlainText.fault(in: $0) }).first {
      return "a string in its stream's description \(fault)"
    }
    guard signal.utf8.count <= Self.longestSignal else {
      return "the name of its signal has more than \(Self.longestSignal) bytes"
    }
    return nil
  }

  /// Maximum length in bytes of a signal name that another program supplies. Databases use the name
  /// in row keys.
  private static let longestSignal = 200
}
