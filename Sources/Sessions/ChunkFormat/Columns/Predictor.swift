/// How the next value of a column is foretold from the four before it.
///
/// The raw value stands in the bits. All but the first take the value before and add
/// something of the latest steps; they differ in how fast they follow and how much of the noise
/// they take over.
enum Predictor: UInt8, CaseIterable {
  /// A straight line through the whole column: noise about a level, or times about a rhythm.
  case line = 0
  /// The value before.
  case previous = 1
  /// The straight line through the two before.
  case slope = 2
  /// The parabola through the three before.
  case curve = 3
  /// The straight line that comes nearest to the four before.
  case fittedSlope = 4
  /// The parabola that comes nearest to the four before.
  case fittedCurve = 5

  /// Values of a column whose predictor is chosen together.
  static let blockSize = 16

  /// How often the latest step, the one before that and the one before that are added to the value
  /// before, and by how many bits their sum is shifted right first; of no interest for the line.
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
  /// So steep a line stays within 63 bits over the longest column.
  static let steepest: Int64 = 1 << 42

  /// Where it begins.
  var base: Int64
  /// What it rises per value, in parts of 2¹⁶.
  var rise: Int64 = 0

  @inline(__always)
  func value(at index: Int) -> Int64 {
    base &+ (Int64(truncatingIfNeeded: index) &* rise) >> 16
  }
}

/// How large the next residual will probably be, and so how many of its bits are written as they
/// are.
///
/// It follows a code that is written in the clear, so that writer and reader have the same.
struct ResidualScale {
  /// Codes count as no more, lest the mean overflow.
  static let largest: UInt64 = 1 << 48

  /// It never begins with more bits than the largest code has.
  static let mostBits: UInt8 = 49
  /// What a pace can be.
  static let paces: ClosedRange<UInt8> = 1...15

  /// Mean of the latest codes, in parts of 256.
  private var mean: Int64
  /// The mean moves by this part of the difference: 2 is a quarter.
  private let pace: Int64

  /// A scale that begins with codes of so many bits.
  init(bits: UInt8, pace: UInt8) {
    mean = 128 &<< Int64(bits)
    self.pace = Int64(pace)
  }

  /// Bits of the next code that are written as they are: half the mean has as many.
  @inline(__always)
  var plainBits: Int {
    // As many as `mean >> 9` has; with a one below, there is no zero to be told from the others.
    63 &- (mean &>> 8 | 1).leadingZeroBitCount
  }

  @inline(__always)
  mutating func follow(_ code: UInt64) {
    mean &+= (Int64(truncatingIfNeeded: min(code, Self.largest) &<< 8) &- mean) &>> pace
  }
}

/// The code of a residual after its plain bits.
enum ResidualCode {
  /// Below it a number is written as so many zeros and a one.
  static let unaryLimit = 5
  /// So many zeros and a one announce a residual in all its bits.
  static let escapeZeros = 25
}
