/// The decimal scale at which all values of a column are whole numbers.
///
/// Receivers send decimals, or degrees and decimal minutes. Stored as whole numbers, these take
/// much less space than the 64-bit floating-point numbers computed from them.
struct DecimalScale: Hashable {
  /// The code of a column that stores the bit patterns of its values instead of whole numbers.
  static let bitPatterns: UInt8 = 255
  /// Added to a scale's code if the values' unit is first divided into sixty parts, as a degree is
  /// into minutes.
  private static let minutes: UInt8 = 16
  private static let mostDigits: UInt8 = 9
  /// The largest allowed difference between a value and its reconstruction, in steps between
  /// adjacent 64-bit floating-point numbers.
  private static let nearest: UInt64 = 8

  /// The code that identifies the scale in the file.
  let code: UInt8

  /// Number of parts into which the values' unit is divided.
  let parts: Double

  init?(code: UInt8) {
    let digits = code & (Self.minutes - 1)
    guard code < 2 * Self.minutes, digits <= Self.mostDigits else { return nil }
    self.code = code
    parts = (0..<digits).reduce(code >= Self.minutes ? 60.0 : 1.0) { parts, _ in parts * 10 }
  }

  /// Finds the scale with the lowest code at which all values are whole numbers.
  init?(of values: [Double]) {
    for code in 0..<2 * Self.minutes {
      guard let scale = DecimalScale(code: code) else { continue }
      if values.allSatisfy({ scale.split($0) != nil }) {
        self = scale
        return
      }
    }
    return nil
  }

  /// Splits a value into a whole number of parts and a remainder, in steps between adjacent
  /// floating-point numbers. Returns `nil` if the value is too far from a whole number of parts.
  func split(_ value: Double) -> (whole: Int64, steps: Int64)? {
    let product = (value * parts).rounded()
    guard abs(product) < 9e15 else { return nil }
    let whole = Int64(product)
    // Negative zero yields `nil`, since its bit pattern is far from that of positive zero.
    let steps = bits(value) &- bits(Double(whole) / parts)
    guard steps.magnitude <= Self.nearest else { return nil }
    return (whole, steps)
  }

  /// Reassembles the value that `split` divided into these numbers.
  func value(whole: Int64, steps: Int64) -> Double {
    Double(bitPattern: UInt64(bitPattern: bits(Double(whole) / parts) &+ steps))
  }

  private func bits(_ value: Double) -> Int64 { Int64(bitPattern: value.bitPattern) }
}

extension ColumnEncoder {
  /// Appends floating-point numbers losslessly; a reader gets back the same bits.
  mutating func append(decimals values: [Double], to bytes: inout [UInt8]) {
    guard !values.isEmpty else { return }
    guard let scale = DecimalScale(of: values) else {
      bytes.append(DecimalScale.bitPatterns)
      append(values.map { Int64(bitPattern: $0.bitPattern) }, to: &bytes)
      return
    }
    let parts = values.compactMap(scale.split)
    bytes.append(scale.code)
    append(parts.map(\.whole), to: &bytes)
    append(parts.map(\.steps), to: &bytes)
  }
}

extension ColumnReader {
  /// Reads the next floating-point numbers; `nil` if the bytes are invalid.
  mutating func decimals(count: Int, in bytes: Span<UInt8>) -> [Double]? {
    guard count > 0 else { return [] }
    guard let code = byte(in: bytes) else { return nil }
    if code == DecimalScale.bitPatterns {
      return column(Int64.self, count: count, in: bytes)?.map {
        Double(bitPattern: UInt64(bitPattern: $0))
      }
    }
    guard let scale = DecimalScale(code: code),
      let wholes = column(Int64.self, count: count, in: bytes),
      let steps = column(Int64.self, count: count, in: bytes)
    else { return nil }
    return zip(wholes, steps).map { scale.value(whole: $0, steps: $1) }
  }
}
