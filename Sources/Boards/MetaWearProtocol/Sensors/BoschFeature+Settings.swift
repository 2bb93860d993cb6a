/// Settings for detecting low and high acceleration on the BMI160 and the BMA255: thresholds and
/// durations.
///
/// Settings are stored in the chip's own codes, so settings read from a board can be written back
/// unchanged. The setters convert from g and milliseconds.
public struct LowHighSettings: Hashable, Sendable {
  /// The settings as encoded for the board: low duration, low threshold, modes, high duration and
  /// high threshold.
  public private(set) var bytes: [UInt8]

  /// Creates the vendor software's default settings for a chip.
  public init(defaultsOf chip: Accelerometer.Chip) {
    bytes = chip == .bma255 ? [0x09, 0x30, 0x81, 0x0f, 0xc0] : [0x07, 0x30, 0x81, 0x0b, 0xc0]
  }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// One step of the low-acceleration threshold, in g.
  public static let lowStep = 0.00781

  /// Returns one step of a duration in milliseconds. A code of 0 means one step.
  public static func durationStep(on chip: Accelerometer.Chip) -> Double {
    chip == .bma255 ? 2 : 2.5
  }

  /// Configures the detection of free fall: acceleration below `g` for this many milliseconds. With
  /// `isSum`, the chip examines the sum of all axes instead of each axis separately.
  public mutating func setLow(
    g: Double?, milliseconds: Double?, isSum: Bool, on chip: Accelerometer.Chip
  ) {
    if let milliseconds { bytes[0] = Self.duration(milliseconds, on: chip) }
    if let g { bytes[1] = UInt8(steps: g / Self.lowStep) }
    bytes[2] = bytes[2] & ~0x04 | (isSum ? 0x04 : 0)
  }

  /// Configures the detection of a knock: acceleration above `g` for this many milliseconds. The
  /// threshold's step depends on the measuring range.
  public mutating func setHigh(
    g: Double?, milliseconds: Double?, range: Double, on chip: Accelerometer.Chip
  ) {
    if let milliseconds { bytes[3] = Self.duration(milliseconds, on: chip) }
    // The steps are 0.00781, 0.01563, 0.03125 and 0.0625 g at 2, 4, 8 and 16 g, as printed in the
    // data sheet. This is about 1/256 of the range.
    let step = range <= 2 ? 0.00781 : range <= 4 ? 0.01563 : range <= 8 ? 0.03125 : 0.0625
    if let g { bytes[4] = UInt8(steps: g / step) }
  }

  private static func duration(_ milliseconds: Double, on chip: Accelerometer.Chip) -> UInt8 {
    UInt8(steps: milliseconds / durationStep(on: chip) - 1)
  }
}

/// Settings for detecting motion or the absence of motion on the BMI160 and the BMA255.
public struct MotionSettings: Hashable, Sendable {
  /// The kinds of motion that can be detected.
  public enum Kind: Hashable, Sendable {
    /// Motion above a threshold along any axis.
    case any
    /// No motion along any axis has exceeded a threshold for a few seconds.
    case no
    /// Slow motion along an axis.
    case slow
    /// The motion is sustained, as in walking. Available only on the BMI160.
    case significant
  }

  /// Time that must pass without motion before significant motion can be detected again.
  public enum Skip: UInt8, Hashable, Sendable {
    /// 1.5 s.
    case seconds1half = 0
    case seconds3 = 1
    case seconds6 = 2
    case seconds12 = 3
  }

  /// Minimum duration of motion that is considered significant.
  public enum Proof: UInt8, Hashable, Sendable {
    case quarterSecond = 0
    case halfSecond = 1
    case second = 2
    case seconds2 = 3
  }

  /// The settings as encoded for the board: the durations, the threshold for any motion, and the
  /// threshold for slow or no motion. The BMI160 adds a byte that selects the kinds of motion.
  public private(set) var bytes: [UInt8]

  /// Creates the vendor software's default settings for a chip.
  public init(defaultsOf chip: Accelerometer.Chip) {
    bytes = chip == .bma255 ? [0, 0x14, 0x14] : [0, 0x14, 0x14, 0x14]
  }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Configures the detection of any motion, which requires `count` consecutive samples (1 to 4)
  /// above the threshold `g`.
  public mutating func setAny(count: Int?, g: Double?, range: Double) {
    if let count { bytes[0] = bytes[0] & 0xfc | UInt8(clamping: count - 1) & 0x03 }
    if let g { bytes[1] = Self.threshold(g, range: range) }
  }

  /// Configures the detection of slow motion, which requires `count` consecutive samples above the
  /// threshold `g`.
  public mutating func setSlow(count: Int?, g: Double?, range: Double) {
    if let count { bytes[0] = bytes[0] & 0x03 | UInt8(clamping: count - 1) << 2 }
    if let g { bytes[2] = Self.threshold(g, range: range) }
    if bytes.count > 3 { bytes[3] &= ~0x01 }
  }

  /// Configures the detection of no motion by its minimum duration and its threshold.
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

  /// Configures the detection of significant motion. The BMI160 stores these settings in the byte
  /// that selects the kinds of motion.
  public mutating func setSignificant(skip: Skip, proof: Proof) {
    guard bytes.count > 3 else { return }
    bytes[3] = bytes[3] & 0x01 | 0x02 | skip.rawValue << 2 | proof.rawValue << 4
  }

  /// The data sheet defines three segments with different steps.
  private static func bmi160Duration(_ milliseconds: Double) -> UInt8 {
    if milliseconds <= 20_480 { return UInt8(steps: milliseconds / 1_280 - 1) }
    if milliseconds <= 102_400 { return 0x10 | UInt8(steps: milliseconds / 5_120 - 5) & 0x0f }
    return 0x20 | min(UInt8(steps: milliseconds / 10_240 - 11), 0x1f)
  }

  /// One step is 3.91, 7.81, 15.63 or 31.25 mg at 2, 4, 8 or 16 g.
  private static func threshold(_ g: Double, range: Double) -> UInt8 {
    let step = range <= 2 ? 0.00391 : range <= 4 ? 0.00781 : range <= 8 ? 0.01563 : 0.03125
    return UInt8(steps: g / step)
  }
}

/// Settings for detecting taps on the BMI160 and the BMA255.
public struct TapSettings: Hashable, Sendable, BitwiseCopyable {
  /// The encoded durations: the quiet time in bit 7, the shock time in bit 6, and the window for a
  /// second tap in bits 0 to 2.
  public private(set) var times: UInt8 = 0x04
  /// Minimum acceleration of a tap, in steps that depend on the measuring range.
  public private(set) var threshold: UInt8 = 0x0a

  /// Windows for a second tap, in milliseconds, indexed by code.
  public static let windows = [50, 100, 150, 200, 250, 375, 500, 700]

  /// Creates the vendor software's default settings.
  public init() {}

  init(times: UInt8, threshold: UInt8) {
    self.times = times
    self.threshold = threshold
  }

  /// Sets the minimum pause between taps. For values up to 20, the chip uses 20 ms; otherwise, it
  /// uses 30 ms.
  public mutating func setQuiet(milliseconds: Int) {
    times = times & 0x7f | (milliseconds <= 20 ? 0x80 : 0)
  }

  /// Sets the maximum duration of a tap's shock. For values of at least 75, the chip uses 75 ms;
  /// otherwise, it uses 50 ms.
  public mutating func setShock(milliseconds: Int) {
    times = times & 0xbf | (milliseconds >= 75 ? 0x40 : 0)
  }

  /// Sets the window for a second tap. Uses the shortest supported window that is at least this
  /// long, or else the longest.
  public mutating func setWindow(milliseconds: Int) {
    let code = Self.windows.firstIndex { $0 >= milliseconds } ?? Self.windows.count - 1
    times = times & 0xf8 | UInt8(code)
  }

  /// Sets the minimum acceleration of a tap. The threshold's step depends on the measuring range.
  public mutating func setThreshold(g: Double, range: Double) {
    threshold = min(UInt8(steps: g / (range / 32)), 0x1f)
  }
}

/// Settings of the BMI160's step detector, including whether it counts steps.
public struct StepSettings: Hashable, Sendable, BitwiseCopyable {
  /// A level of step detection sensitivity, as predefined by Bosch.
  public enum Mode: Hashable, Sendable, CaseIterable {
    /// Strikes a balance between missed steps and false steps.
    case normal
    /// Suitable for lightweight wearers, but detects more false steps.
    case sensitive
    /// Detects fewer false steps.
    case robust
  }

  private let first: UInt8
  private let second: UInt8

  /// `isCounting` enables the step counter.
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

  /// The settings as encoded for the board, in the format of Bosch's two registers.
  public var bytes: [UInt8] { [first, second] }
  public var isCounting: Bool { second & 0x08 != 0 }
}
