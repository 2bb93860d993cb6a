/// Converts eight decimal digits of a number at once.
enum DecimalDigits {
  /// Added to the values of eight digits, gives their characters.
  static let zeros: UInt64 = 0x3030_3030_3030_3030

  /// The digits of a value below 10^8 as numbers from 0 to 9, the first in the lowest byte.
  ///
  /// The number is split three times, both halves of every part in one operation. A division by a
  /// constant is a multiplication and a shift, exact for the few digits of each part.
  @inline(__always)
  static func values(_ value: UInt32) -> UInt64 {
    let high = value / 10_000
    let fours = UInt64(high) | UInt64(value &- high &* 10_000) << 32
    let hundreds = (fours &* 10_486) >> 20 & 0x7f_0000_007f
    let twos = (fours &- 100 &* hundreds) << 16 &+ hundreds
    let tens = (twos &* 103) >> 10 & 0x000f_000f_000f_000f
    return tens &+ (twos &- 10 &* tens) << 8
  }

  /// 10 to the power of a small number; folded for a constant.
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
