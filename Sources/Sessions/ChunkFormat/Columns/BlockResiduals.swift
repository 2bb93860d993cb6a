/// An element of a column.
protocol ColumnValue: FixedWidthInteger, SignedInteger, SIMDScalar, Codable
where SIMD16Storage: BitwiseCopyable, SIMD8Storage: BitwiseCopyable {}

extension Int32: ColumnValue {}
extension Int64: ColumnValue {}

/// The residuals that the predictors leave in one block.
///
/// The block is read twice: first for the size of each predictor's residuals, then for the
/// residuals of the best predictor. The residuals of all six predictors for sixteen values would
/// not fit in the processor's registers.
struct BlockResiduals<Value: ColumnValue> {
  typealias Block = SIMD16<Value>
  typealias Half = SIMD8<Value>

  /// Sums of the magnitudes of each predictor's residuals, at its raw value. They may overflow,
  /// which costs only space.
  private let sizes: Half

  /// Sums the residuals of the block that begins at `index`, after at least four values.
  @inline(__always)
  init(_ values: Span<Value>, at index: Int, line: Block) {
    var sums = PredictorSums<Value>()
    sums.add(values, at: index, line: line.lowHalf)
    sums.add(values, at: index &+ Predictor.blockSize / 2, line: line.highHalf)
    sizes = sums.totals
  }

  /// The best predictor after a block that had `last`.
  @inline(__always)
  func best(after last: Predictor) -> Predictor {
    var best = last.rawValue
    var least = sizes[Int(best)]
    // A change costs three bits, so the residuals of a block have to shrink by a twelfth.
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

  /// The residuals of a predictor, with the sign in the lowest bit: 0, −1, 1, −2 become 0, 1, 2, 3.
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

  /// Whether all residuals are zero. Comparing lane by lane takes longer.
  @inline(__always)
  static func isZero(_ block: Block) -> Bool {
    let eight = block.lowHalf | block.highHalf
    let four = eight.lowHalf | eight.highHalf
    let two = four.lowHalf | four.highHalf
    return two.x | two.y == 0
  }

  /// Sixteen values.
  @inline(__always)
  static func block(_ values: Span<Value>, at index: Int) -> Block {
    // Safety: the load checks that its bytes lie within the span, and any bytes are integers.
    unsafe values.bytes.unsafeLoadUnaligned(
      fromByteOffset: index &* MemoryLayout<Value>.stride, as: Block.self)
  }
}

extension Predictor {
  /// The step that a predictor after `previous` predicts from the latest step and the two before
  /// it.
  @inline(__always)
  func foretold<Steps: SIMD>(_ latest: Steps, _ second: Steps, _ third: Steps) -> Steps
  where Steps.Scalar: ColumnValue {
    // Shifts and sums, since a baseline processor cannot multiply such lanes.
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

/// Sums of magnitudes, each in four partial lanes until all values are added.
private struct PredictorSums<Value: ColumnValue> {
  typealias Half = SIMD8<Value>
  typealias Quarter = SIMD4<Value>

  private var line = Quarter(repeating: 0)
  private var previous = Quarter(repeating: 0)
  private var slope = Quarter(repeating: 0)
  private var curve = Quarter(repeating: 0)
  private var fittedSlope = Quarter(repeating: 0)
  private var fittedCurve = Quarter(repeating: 0)

  /// Adds the residuals of eight values.
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

  /// The sums at the raw values of their predictors.
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
    // Safety: the load checks that its bytes lie within the span, and any bytes are integers.
    unsafe values.bytes.unsafeLoadUnaligned(
      fromByteOffset: index &* MemoryLayout<Value>.stride, as: Half.self)
  }
}
