/// The prediction of a column's next value from the four before it.
///
/// The raw value is the code in the bits. All but the first add a combination of the latest steps
/// to the value before. They differ in how fast they follow and how much of the noise they adopt.
enum Predictor: UInt8, CaseIterable {
  /// A straight line through the whole column: noise about a level, or times about a rhythm.
  case line = 0
  /// The value before.
  case previous = 1
  /// The straight line through the two values before.
  case slope = 2
  /// The parabola through the three values before.
  case curve = 3
  /// The straight line that best fits the four values before.
  case fittedSlope = 4
  /// The parabola that best fits the four values before.
  case fittedCurve = 5

  /// Number of values in a block, for which one predictor is chosen.
  static let blockSize = 16

  /// Weights of the three latest steps, the latest first, in their sum, and the bits by which this
  /// sum is shifted right. The result is added to the value before. Unused for the line.
  @inline(__always)
  var weights: (latest: Int, second: Int, third: Int, shift: Int) {
    switch self {
    case .line, .previous: (0, 0, 0, 0)
    case .slope: (1, 0, 0, 0)
    case .curve: (2, -1, 0, 0)
    case .fittedSlope: (0, 1, 1, 1)
    case .fittedCurve: (5, 2, -3, 2)
    }
  }
}

/// The straight line of `Predictor.line`.
struct ColumnLine {
  /// A line below this slope stays within 63 bits over the longest column.
  static let steepest: Int64 = 1 << 42

  /// The line's value at index 0.
  var base: Int64
  /// Rise per value, in parts of 2¹⁶.
  var rise: Int64 = 0

  @inline(__always)
  func value(at index: Int) -> Int64 {
    base &+ (Int64(truncatingIfNeeded: index) &* rise) >> 16
  }
}

/// The expected size of the next residual, which decides how many of its low bits are written
/// verbatim.
///
/// The scale follows the written codes only, so that writer and reader compute the same scale.
struct ResidualScale {
  /// Larger codes count as this one, so that the mean does not overflow.
  static let largest: UInt64 = 1 << 48

  /// The most bits a scale may begin with: one more than those of the largest code.
  static let mostBits: UInt8 = 49
  /// The valid paces.
  static let paces: ClosedRange<UInt8> = 1...15

  /// Mean of the latest codes, in parts of 256.
  private var mean: Int64
  /// The mean moves by this part of the difference: 2 is a quarter.
  private let pace: Int64

  /// A scale for codes of this number of bits.
  init(bits: UInt8, pace: UInt8) {
    mean = 128 &<< Int64(bits)
    self.pace = Int64(pace)
  }

  /// Low bits of the next code that are written verbatim: half as many as the mean has.
  @inline(__always)
  var plainBits: Int {
    // As many as `mean >> 9` has; the one in the lowest bit avoids a special case for zero.
    63 &- (mean &>> 8 | 1).leadingZeroBitCount
  }

  @inline(__always)
  mutating func follow(_ code: UInt64) {
    mean &+= (Int64(truncatingIfNeeded: min(code, Self.largest) &<< 8) &- mean) &>> pace
  }
}

/// The code of a residual after its verbatim bits.
enum ResidualCode {
  /// A smaller number is written as that many zeros and a one.
  static let unaryLimit = 5
  /// This many zeros and a one announce a residual with all its bits.
  static let escapeZeros = 25
}
