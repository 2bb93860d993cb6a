/// A sampling rate of a chip, and the byte that selects it.
public struct SampleRate: Hashable, Sendable, BitwiseCopyable {
  /// Samples per second according to the data sheet; the chip's own oscillator may be off by a
  /// percent.
  public let hertz: Double
  /// The byte, including bandwidth and filter bits, as the vendor's software sends it.
  public let code: UInt8

  public init(hertz: Double, code: UInt8) {
    self.hertz = hertz
    self.code = code
  }
}

/// A measuring range of a chip, and the byte that selects it.
public struct MeasuringRange: Hashable, Sendable, BitwiseCopyable {
  /// The largest magnitude it can measure, in the unit of the signal.
  public let limit: Double
  public let code: UInt8
  /// Raw counts per unit of the signal.
  public let countsPerUnit: Double

  public init(limit: Double, code: UInt8, countsPerUnit: Double) {
    self.limit = limit
    self.code = code
    self.countsPerUnit = countsPerUnit
  }
}

/// Rate and range of a sensor, both from the tables of its chip.
public struct SensorConfiguration: Hashable, Sendable, BitwiseCopyable {
  public let rate: SampleRate
  public let range: MeasuringRange

  public init(rate: SampleRate, range: MeasuringRange) {
    self.rate = rate
    self.range = range
  }
}

/// A requested rate or range that the chip does not have.
public enum SettingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No such rate; the available ones are in hertz.
  case rate(Double, signal: String, chip: String, available: [Double])
  /// No such range; the available ones are in the given unit.
  case range(Double, signal: String, chip: String, available: [Double], unit: String)

  /// The failed operation and its object, and on a second line the available values.
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
  case 0: "leave it out: there is no choice"
  case 1: "choose \(plain(available[0])) \(unit)"
  default: "choose one of \(available.map(plain).joined(separator: ", ")) \(unit)"
  }
}

/// A number without a needless `.0` or insignificant digits.
private func plain(_ value: Double) -> String {
  let rounded = (value * 100_000).rounded() / 100_000
  return Int(exactly: rounded).map(String.init) ?? String(rounded)
}

extension Sequence where Element == Double {
  /// The index of the rate that the user meant.
  ///
  /// With half a percent of tolerance, `0.78` and `31.25` mean a chip's 0.78125 and 31.26 Hz.
  func place(ofRate rate: Double, tolerance: Double = 0.005) -> Int? {
    enumerated().first { abs($1 - rate) <= tolerance * $1 }?.offset
  }
}
