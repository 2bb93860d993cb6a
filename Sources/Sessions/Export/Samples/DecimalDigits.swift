/// Converts a number to eight decimal digits in one pass.
enum DecimalDigits {
  /// Eight ASCII zeros. Adding them to eight digits from 0 to 9 converts the digits to ASCII
  /// characters.
  static let zeros: UInt64 = 0x3030_3030_3030_3030

  /// Returns the digits of a value below 10^8, each from 0 to 9, with the first digit in the lowest
  /// byte.
  ///
  /// The number is split three times, and each split processes all parts in one operation. Each
  /// division by a constant becomes a multiplication and a shift, which is exact for the few digits
  /// of each part.
  @inline(__always)
  static func values(_ value: UInt32) -> UInt64 {
    let high = value / 10_000
    let fours = UInt64(high) | UInt64(value &- high &* 10_000) << 32
    let hundreds = (fours &* 10_486) >> 20 & 0x7f_0000_007f
    let twos = (fours &- 100 &* hundreds) << 16 &+ hundreds
    let tens = (twos &* 103) >> 10 & 0x000f_000f_000f_000f
    return tens &+ (twos &- 10 &* tens) << 8
  }

  /// Returns 10 to the power of a small number. For a constant argument, the call is evaluated at
  /// compile time.
  @inline(__always)
  static func power(_ exponent: Int) -> UInt64 {
    switch exponent {
    case 0: 1
    case 1: 10
    case 2: 100
    case 3: 1_000
    case 4: 10_000
    case 5: 100_000
    case 6: 1_000_000
    case 7: 10_000_000
    case 8: 100_000_000
    default: preconditionFailure("a fraction has at most eight digits")
    }
  }
}
