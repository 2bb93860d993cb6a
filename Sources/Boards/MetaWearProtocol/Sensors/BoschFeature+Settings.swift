/// Thresholds and durations of low and high acceleration, on the BMI160 and the BMA255.
///
/// Stored in the chip's own codes, so that settings read from the board are written back unchanged;
/// the functions set them from g and milliseconds.
public struct LowHighSettings: Hashable, Sendable {
  /// Low duration, low threshold, modes, high duration, high threshold.
  public private(set) var bytes: [UInt8]

  /// The vendor software's initial settings.
  public init(defaultsOf chip: Accelerometer.Chip) {
    bytes = chip == .bma255 ? [0x09, 0x30, 0x81, 0x0f, 0xc0] : [0x07, 0x30, 0x81, 0x0b, 0xc0]
  }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// One step of the low threshold, in g.
  public static let lowStep = 0.00781

  /// One step of a duration in milliseconds; a code of 0 is one step.
  public static func durationStep(on chip: Accelerometer.Chip) -> Double {
    chip == .bma255 ? 2 : 2.5
  }

  /// Free fall below `g` for this long; with `isSum` for the sum of all axes instead of each.
  public mutating func setLow(
    g: Double?, milliseconds: Double?, isSum: Bool, on chip: Accelerometer.Chip
  ) {
    if let milliseconds { bytes[0] = Self.duration(milliseconds, on: chip) }
    if let g { bytes[1] = UInt8(steps: g / Self.lowStep) }
    bytes[2] = bytes[2] & ~0x04 | (isSum ? 0x04 : 0)
  }

  /// A knock above `g` for this long; the step of the threshold depends on the measuring range.
  public mutating func setHigh(
    g: Double?, milliseconds: Double?, range: Double, on chip: Accelerometer.Chip
  ) {
    if let milliseconds { bytes[3] = Self.duration(milliseconds, on: chip) }
    // 0.00781, 0.01563, 0.03125 and 0.0625 g at 2, 4, 8 and 16 g: 1/128 of 2 g and so on, as
    // printed in the data sheet.
    let step = range <= 2 ? 0.00781 : range <= 4 ? 0.01563 : range <= 8 ? 0.03125 : 0.0625
    if let g { bytes[4] = UInt8(steps: g / step) }
  }

  private static func duration(_ milliseconds: Double, on chip: Accelerometer.Chip) -> UInt8 {
    UInt8(steps: milliseconds / durationStep(on: chip) - 1)
  }
}

/// Settings for detecting motion or its absence, on the BMI160 and the BMA255.
public struct MotionSettings: Hashable, Sendable {
  /// The four uses of the motion registers.
  public enum Kind: Hashable, Sendable {
    /// Each axis moves more than a threshold.
    case any
    /// No axis moves more than a threshold for some seconds.
    case no
    /// Slow motion.
    case slow
    /// Lasting motion, such as walking; BMI160 only.
    case significant
  }

  /// Time without motion before the next significant motion is detected.
  public enum Skip: UInt8, Hashable, Sendable {
    /// 1.5 s.
    case seconds1half = 0
    /// 3 s.
    case seconds3 = 1
    /// 6 s.
    case seconds6 = 2
    /// 12 s.
    case seconds12 = 3
  }

  /// Minimum duration of significant motion.
  public enum Proof: UInt8, Hashable, Sendable {
    /// 0.25 s.
    case quarterSecond = 0
    /// 0.5 s.
    case halfSecond = 1
    /// 1 s.
    case second = 2
    /// 2 s.
    case seconds2 = 3
  }

  /// Durations, any-motion threshold, slow or no-motion threshold; the BMI160 adds a selection.
  public private(set) var bytes: [UInt8]

  /// The vendor software's initial settings.
  public init(defaultsOf chip: Accelerometer.Chip) {
    bytes = chip == .bma255 ? [0, 0x14, 0x14] : [0, 0x14, 0x14, 0x14]
  }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Any motion: `count` consecutive samples (1 to 4) beyond a threshold.
  public mutating func setAny(count: Int?, g: Double?, range: Double) {
    if let count { bytes[0] = bytes[0] & 0xfc | UInt8(clamping: count - 1) & 0x03 }
    if let g { bytes[1] = Self.threshold(g, range: range) }
  }

  /// Slow motion: `count` consecutive samples beyond a threshold.
  public mutating func setSlow(count: Int?, g: Double?, range: Double) {
    if let count { bytes[0] = bytes[0] & 0x03 | UInt8(clamping: count - 1) << 2 }
    if let g { bytes[2] = Self.threshold(g, range: range) }
    if bytes.count > 3 { bytes[3] &= ~0x01 }
  }

  /// No motion for this long.
  public mutating func setNo(
    milliseconds: Double?, g: Double?, range: Double, on chip: Accelerometer.Chip
  ) {
    if let milliseconds {
      let code =
        chip == .bma255
        ? UInt8(steps: milliseconds / 1000 - 1) : Self.bmi160Duration(milliseconds)
      bytes[0] = bytes[0] & 0x03 | min(code, 0x3f) << 2
    }
    if let g { bytes[2] = Self.threshold(g, range: range) }
    if bytes.count > 3 { bytes[3] |= 0x01 }
  }

  /// Significant motion, by the BMI160's selection byte.
  public mutating func setSignificant(skip: Skip, proof: Proof) {
    guard bytes.count > 3 else { return }
    bytes[3] = bytes[3] & 0x01 | 0x02 | skip.rawValue << 2 | proof.rawValue << 4
  }

  /// The duration code, with the data sheet's three segments.
  private static func bmi160Duration(_ milliseconds: Double) -> UInt8 {
    if milliseconds <= 20_480 { return UInt8(steps: milliseconds / 1_280 - 1) }
    if milliseconds <= 102_400 { return 0x10 | UInt8(steps: milliseconds / 5_120 - 5) & 0x0f }
    return 0x20 | min(UInt8(steps: milliseconds / 10_240 - 11), 0x1f)
  }

  /// Steps of 3.91, 7.81, 15.63 and 31.25 mg at 2, 4, 8 and 16 g.
  private static func threshold(_ g: Double, range: Double) -> UInt8 {
    let step = range <= 2 ? 0.00391 : range <= 4 ? 0.00781 : range <= 8 ? 0.01563 : 0.03125
    return UInt8(steps: g / step)
  }
}

/// Settings for detecting taps, on the BMI160 and the BMA255.
public struct TapSettings: Hashable, Sendable, BitwiseCopyable {
  /// Quiet time in bit 7, shock time in bit 6, window in bits 0 to 2.
  public private(set) var times: UInt8 = 0x04
  /// Threshold, in steps that depend on the measuring range.
  public private(set) var threshold: UInt8 = 0x0a

  /// Windows for a second tap in milliseconds, by their codes.
  public static let windows = [50, 100, 150, 200, 250, 375, 500, 700]

  /// The vendor software's initial settings.
  public init() {}

  init(times: UInt8, threshold: UInt8) {
    self.times = times
    self.threshold = threshold
  }

  /// The shortest pause between taps: 30 ms, or 20.
  public mutating func setQuiet(milliseconds: Int) {
    times = times & 0x7f | (milliseconds <= 20 ? 0x80 : 0)
  }

  /// The longest duration of a shock: 50 ms, or 75.
  public mutating func setShock(milliseconds: Int) {
    times = times & 0xbf | (milliseconds >= 75 ? 0x40 : 0)
  }

  /// The window for a second tap: the chip's shortest that is not shorter than this.
  public mutating func setWindow(milliseconds: Int) {
    let code = Self.windows.firstIndex { $0 >= milliseconds } ?? Self.windows.count - 1
    times = times & 0xf8 | UInt8(code)
  }

  /// The threshold of a tap; its step depends on the measuring range.
  public mutating func setThreshold(g: Double, range: Double) {
    threshold = min(UInt8(steps: g / (range / 32)), 0x1f)
  }
}

/// Settings of the BMI160's step detection, and whether it counts steps.
public struct StepSettings: Hashable, Sendable, BitwiseCopyable {
  /// Bosch's three settings.
  public enum Mode: Hashable, Sendable, CaseIterable {
    /// Balanced.
    case normal
    /// For light wearers; more false steps.
    case sensitive
    /// Fewer false steps.
    case robust
  }

  private let first: UInt8
  private let second: UInt8

  /// One of Bosch's settings, with the counter running or not.
  public init(_ mode: Mode, isCounting: Bool) {
    let counting: UInt8 = isCounting ? 0x08 : 0
    switch mode {
    case .normal: self.init(0x15, 0x03 | counting)
    case .sensitive: self.init(0x2d, 0x00 | counting)
    case .robust: self.init(0x1d, 0x07 | counting)
    }
  }

  init(_ first: UInt8, _ second: UInt8) {
    self.first = first
    self.second = second
  }

  /// The two bytes of Bosch's registers.
  public var bytes: [UInt8] { [first, second] }
  /// Whether the counter runs.
  public var isCounting: Bool { second & 0x08 != 0 }
}
