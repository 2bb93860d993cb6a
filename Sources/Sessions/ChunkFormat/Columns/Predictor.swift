/// Predicts a column's next value from the previous four values.
///
/// The raw value is the code in the file. Most predictors add a combination of the last three steps
/// to the previous value. They differ in how fast they follow the values and in how much noise they
/// pass on.
enum Predictor: UInt8, CaseIterable {
  /// Predicts the values on a straight line through the whole column. Suits noise around a level,
  /// and regular timestamps.
  case line = 0
  /// Predicts that the previous value repeats.
  case previous = 1
  /// Extends the straight line through the previous two values.
  case slope = 2
  /// Extends the parabola through the previous three values.
  case curve = 3
  /// Extends the straight line that best fits the previous four values.
  case fittedSlope = 4
  /// Extends the parabola that best fits the previous four values.
  case fittedCurve = 5

  /// Number of values in a block. All values of a block use the same predictor.
  static let blockSize = 16

  /// The weights of the last three steps, newest first, and the number of bits by which the
  /// weighted sum is shifted right. The result is added to the previous value. Not used for `line`.
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

/// The straight line through a whole column, used by `Predictor.line`.
struct ColumnLine {
  /// The maximum slope, which keeps the line within 63 bits over the longest column.
  static let steepest: Int64 = 1 << 42

  /// The line's value at index 0.
  var base: Int64
  /// Increase from one value to the next, in units of 2⁻¹⁶.
  var rise: Int64 = 0

  @inline(__always)
  func value(at index: Int) -> Int64 {
    base &+ (Int64(truncatingIfNeeded: index) &* rise) >> 16
  }
}

/// The expected size of the next residual, which determines the number of low bits written
/// verbatim.
///
/// The scale depends only on the codes written so far, so the writer and the reader compute the
/// same scale.
struct ResidualScale {
  /// Larger codes are treated as this value, so that the mean does not overflow.
  static let largest: UInt64 = 1 << 48

  /// The maximum initial size of a scale, in bits: the number of bits in `largest`.
  static let mostBits: UInt8 = 49
  /// The range of valid values for `pace`.
  static let paces: ClosedRange<UInt8> = 1...15

  /// Mean of the latest codes, in units of 1/256.
  private var mean: Int64
  /// The mean moves by `1 / 2^pace` of its difference from each code: with a pace of 2, by a
  /// quarter.
  private let pace: Int64

  /// Creates a scale for codes of about this many bits.
  init(bits: UInt8, pace: UInt8) {
    mean = 128 &<< Int64(bits)
    self.pace = Int64(pace)
  }

  /// Number of low bits of the next code that are written verbatim: one fewer than the number of
  /// bits in the mean.
  @inline(__always)
  var plainBits: Int {
    // The number of bits in `mean >> 9`; setting the lowest bit avoids a special case for zero.
    63 &- (mean &>> 8 | 1).leadingZeroBitCount
  }

  @inline(__always)
  mutating func follow(_ code: UInt64) {
    mean &+= (Int64(truncatingIfNeeded: min(code, Self.largest) &<< 8) &- mean) &>> pace
  }
}

/// Encodes the high bits of a residual; its low bits are written verbatim.
enum ResidualCode {
  /// A number below this limit is written as that number of zeros, followed by a one.
  static let unaryLimit = 5
  /// Number of zeros that, followed by a one, mark a residual whose bits are all written verbatim.
  static let escapeZeros = 25
}
