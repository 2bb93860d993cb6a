/// An integer type whose values can form a column.
protocol ColumnValue: FixedWidthInteger, SignedInteger, SIMDScalar, Codable
where SIMD16Storage: BitwiseCopyable, SIMD8Storage: BitwiseCopyable {}

extension Int32: ColumnValue {}
extension Int64: ColumnValue {}

/// The residuals of one block under each predictor.
///
/// The block is read twice: first to compare the sizes of the predictors' residuals, then to
/// compute the residuals of the best predictor. The residuals of all six predictors for sixteen
/// values would not fit into the processor's registers.
struct BlockResiduals<Value: ColumnValue> {
  typealias Block = SIMD16<Value>
  typealias Half = SIMD8<Value>

  /// The sum of the magnitudes of each predictor's residuals, indexed by the predictor's raw value.
  /// An overflow only makes the chunk larger.
  private let sizes: Half

  /// Sums the magnitudes of the residuals of the block that begins at `index`. At least four values
  /// must precede it.
  @inline(__always)
  init(_ values: Span<Value>, at index: Int, line: Block) {
    var sums = PredictorSums<Value>()
    sums.add(values, at: index, line: line.lowHalf)
    sums.add(values, at: index &+ Predictor.blockSize / 2, line: line.highHalf)
    sizes = sums.totals
  }

  /// Returns the best predictor for this block, given the previous block's predictor.
  @inline(__always)
  func best(after last: Predictor) -> Predictor {
    var best = last.rawValue
    var least = sizes[Int(best)]
    // A change of predictor costs three bits, so it must shrink the block's residuals by at least a
    // twelfth.
    least &-= least / 12
    for predictor in 0..<UInt8(Predictor.allCases.count) {
      let size = sizes[Int(predictor)]
      if size < least {
        least = size
        best = predictor
      }
    }
    return Predictor(rawValue: best) ?? last
  }

  /// Returns a predictor's zigzag-coded residuals: 0, −1, 1, −2 become 0, 1, 2, 3.
  @inline(__always)
  static func zigzag(
    _ predictor: Predictor, _ values: Span<Value>, at index: Int, line: Block
  ) -> Block {
    let current = block(values, at: index)
    let before = block(values, at: index &- 1)
    let residuals: Block
    switch predictor {
    case .line: residuals = current &- line
    case .previous: residuals = current &- before
    case .slope, .curve, .fittedSlope, .fittedCurve:
      let secondBefore = block(values, at: index &- 2)
      let thirdBefore = block(values, at: index &- 3)
      let fourthBefore = block(values, at: index &- 4)
      residuals =
        current &- before
        &- predictor.foretold(
          before &- secondBefore, secondBefore &- thirdBefore, thirdBefore &- fourthBefore)
    }
    return residuals &<< Block(repeating: 1)
      ^ residuals &>> Block(repeating: Value(Value.bitWidth - 1))
  }

  /// Whether all residuals are zero. A lane-by-lane comparison would take longer.
  @inline(__always)
  static func isZero(_ block: Block) -> Bool {
    let eight = block.lowHalf | block.highHalf
    let four = eight.lowHalf | eight.highHalf
    let two = four.lowHalf | four.highHalf
    return two.x | two.y == 0
  }

  @inline(__always)
  static func block(_ values: Span<Value>, at index: Int) -> Block {
    // Safety: the load checks that its bytes are within the span, and any bit pattern is a valid
    // integer.
    unsafe values.bytes.unsafeLoadUnaligned(
      fromByteOffset: index &* MemoryLayout<Value>.stride, as: Block.self)
  }
}

extension Predictor {
  /// Predicts the next step from the last three steps, for every predictor except `line`.
  @inline(__always)
  func foretold<Steps: SIMD>(_ latest: Steps, _ second: Steps, _ third: Steps) -> Steps
  where Steps.Scalar: ColumnValue {
    // Uses shifts and additions, since a baseline processor has no instruction that multiplies
    // lanes of this width.
    let one = Steps(repeating: 1)
    let two = Steps(repeating: 2)
    switch self {
    case .line, .previous: return Steps(repeating: 0)
    case .slope: return latest
    case .curve: return latest &+ latest &- second
    case .fittedSlope: return (second &+ third &+ one) &>> one
    case .fittedCurve:
      let sum = latest &<< two &+ latest &+ (second &- third) &<< one &- third
      return (sum &+ two) &>> two
    }
  }
}

/// The sums of the residuals' magnitudes, each split into four partial sums until all values have
/// been added.
private struct PredictorSums<Value: ColumnValue> {
  typealias Half = SIMD8<Value>
  typealias Quarter = SIMD4<Value>

  private var line = Quarter(repeating: 0)
  private var previous = Quarter(repeating: 0)
  private var slope = Quarter(repeating: 0)
  private var curve = Quarter(repeating: 0)
  private var fittedSlope = Quarter(repeating: 0)
  private var fittedCurve = Quarter(repeating: 0)

  /// Adds the magnitudes of each predictor's residuals for eight values to the sums.
  @inline(__always)
  mutating func add(_ values: Span<Value>, at index: Int, line foretold: Half) {
    let current = Self.half(values, at: index)
    let before = Self.half(values, at: index &- 1)
    let secondBefore = Self.half(values, at: index &- 2)
    let thirdBefore = Self.half(values, at: index &- 3)
    let fourthBefore = Self.half(values, at: index &- 4)
    let latest = before &- secondBefore
    let second = secondBefore &- thirdBefore
    let third = thirdBefore &- fourthBefore
    let step = current &- before
    line &+= Self.magnitudes(current &- foretold)
    previous &+= Self.magnitudes(step)
    slope &+= Self.magnitudes(step &- latest)
    curve &+= Self.magnitudes(step &- Predictor.curve.foretold(latest, second, third))
    fittedSlope &+= Self.magnitudes(step &- Predictor.fittedSlope.foretold(latest, second, third))
    fittedCurve &+= Self.magnitudes(step &- Predictor.fittedCurve.foretold(latest, second, third))
  }

  /// The sums of the residuals' magnitudes, indexed by the raw values of their predictors.
  @inline(__always)
  var totals: Half {
    Half(
      Self.total(line), Self.total(previous), Self.total(slope), Self.total(curve),
      Self.total(fittedSlope), Self.total(fittedCurve), 0, 0)
  }

  @inline(__always)
  private static func total(_ sum: Quarter) -> Value {
    let two = sum.lowHalf &+ sum.highHalf
    return two.x &+ two.y
  }

  @inline(__always)
  private static func magnitudes(_ residuals: Half) -> Quarter {
    let signs = residuals &>> Half(repeating: Value(Value.bitWidth - 1))
    let sizes = (residuals ^ signs) &- signs
    return sizes.lowHalf &+ sizes.highHalf
  }

  @inline(__always)
  private static func half(_ values: Span<Value>, at index: Int) -> Half {
    // Safety: the load checks that its bytes are within the span, and any bit pattern is a valid
    // integer.
    unsafe values.bytes.unsafeLoadUnaligned(
      fromByteOffset: index &* MemoryLayout<Value>.stride, as: Half.self)
  }
}
