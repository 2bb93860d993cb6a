/// A sampling rate that a chip supports, and the byte that selects it.
public struct SampleRate: Hashable, Sendable, BitwiseCopyable {
  /// Samples per second according to the data sheet. The frequency of the chip's own oscillator may
  /// deviate by one percent.
  public let hertz: Double
  /// The code that the vendor's software sends for this rate. It includes bandwidth and filter
  /// bits.
  public let code: UInt8

  public init(hertz: Double, code: UInt8) {
    self.hertz = hertz
    self.code = code
  }
}

/// A measuring range that a chip supports, and the byte that selects it.
public struct MeasuringRange: Hashable, Sendable, BitwiseCopyable {
  /// The largest magnitude that the chip can measure, in the signal's unit.
  public let limit: Double
  public let code: UInt8
  /// Raw counts per unit of the signal in this range.
  public let countsPerUnit: Double

  public init(limit: Double, code: UInt8, countsPerUnit: Double) {
    self.limit = limit
    self.code = code
    self.countsPerUnit = countsPerUnit
  }
}

/// A combination of rate and range, both taken from the chip's tables.
public struct SensorConfiguration: Hashable, Sendable, BitwiseCopyable {
  public let rate: SampleRate
  public let range: MeasuringRange

  public init(rate: SampleRate, range: MeasuringRange) {
    self.rate = rate
    self.range = range
  }
}

/// An error for a requested rate or range that the chip does not support.
public enum SettingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The chip does not support the requested rate. `available` lists the supported rates in hertz.
  case rate(Double, signal: String, chip: String, available: [Double])
  /// The chip does not support the requested range. `available` lists the supported ranges in
  /// `unit`.
  case range(Double, signal: String, chip: String, available: [Double], unit: String)

  /// The operation that failed and the reason, followed by a second line with the available values.
  public var description: String {
    switch self {
    case .rate(let wanted, let signal, let chip, let available):
      """
      cannot measure \(signal) at \(plain(wanted)) Hz: the \(chip) has no such rate
             \(choice(available, "Hz"))
      """
    case .range(let wanted, let signal, let chip, let available, let unit):
      """
      cannot measure \(signal) up to \(plain(wanted)) \(unit): the \(chip) has no such range
             \(choice(available, unit))
      """
    }
  }
}

private func choice(_ available: [Double], _ unit: String) -> String {
  switch available.count {
  case 0: "leave it out: the value is fixed"
  case 1: "choose \(plain(available[0])) \(unit)"
  default: "choose one of \(available.map(plain).joined(separator: ", ")) \(unit)"
  }
}

/// Formats a number without an unnecessary `.0` or insignificant digits.
private func plain(_ value: Double) -> String {
  let rounded = (value * 100_000).rounded() / 100_000
  return Int(exactly: rounded).map(String.init) ?? String(rounded)
}

extension Sequence where Element == Double {
  /// Returns the index of the rate that the user intended, or `nil` if no rate is within the
  /// tolerance.
  ///
  /// The tolerance of half a percent lets `0.78` and `31.25` match a chip's 0.78125 and 31.26 Hz.
  func place(ofRate rate: Double, tolerance: Double = 0.005) -> Int? {
    enumerated().first { abs($1 - rate) <= tolerance * $1 }?.offset
  }
}
