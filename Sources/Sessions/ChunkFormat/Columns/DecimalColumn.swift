/// The unit of which all numbers of a receiver's column are whole multiples.
///
/// A receiver sends decimals, or degrees and decimal minutes. These are much shorter than the
/// 64-bit numbers computed from them.
struct DecimalScale: Hashable {
  /// Marks bit patterns instead of multiples.
  static let bitPatterns: UInt8 = 255
  /// Added to the code where a unit has sixty parts.
  private static let minutes: UInt8 = 16
  private static let mostDigits: UInt8 = 9
  /// Largest difference between a value and the quotient computed for it, in steps between
  /// neighbouring 64-bit numbers.
  private static let nearest: UInt64 = 8

  /// The stored form of the scale.
  let code: UInt8

  /// Parts of a unit.
  let parts: Double

  /// The scale with this code, if there is one.
  init?(code: UInt8) {
    let digits = code & (Self.minutes - 1)
    guard code < 2 * Self.minutes, digits <= Self.mostDigits else { return nil }
    self.code = code
    parts = (0..<digits).reduce(code >= Self.minutes ? 60.0 : 1.0) { parts, _ in parts * 10 }
  }

  /// The coarsest scale on which all values are whole.
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

  /// A value as a whole number of parts and the remainder, counted in steps between neighbouring
  /// numbers. It is `nil` if the value is too far from a whole number of parts.
  func split(_ value: Double) -> (whole: Int64, steps: Int64)? {
    let product = (value * parts).rounded()
    guard abs(product) < 9e15 else { return nil }
    let whole = Int64(product)
    // A negative zero is far from the positive zero in bit patterns.
    let steps = bits(value) &- bits(Double(whole) / parts)
    guard steps.magnitude <= Self.nearest else { return nil }
    return (whole, steps)
  }

  /// The value of a split.
  func value(whole: Int64, steps: Int64) -> Double {
    Double(bitPattern: UInt64(bitPattern: bits(Double(whole) / parts) &+ steps))
  }

  private func bits(_ value: Double) -> Int64 { Int64(bitPattern: value.bitPattern) }
}

extension ColumnEncoder {
  /// Appends numbers so that a reader restores each to the last bit.
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
  /// The next numbers; `nil` if the bytes are not valid.
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
