/// A number of which columns consist.
protocol ColumnValue: FixedWidthInteger, SignedInteger, SIMDScalar, Codable
where SIMD16Storage: BitwiseCopyable {}

extension Int32: ColumnValue {}
extension Int64: ColumnValue {}

/// What each predictor leaves of one block.
struct BlockResiduals<Value: ColumnValue> {
  typealias Block = SIMD16<Value>

  private let line: Block
  private let previous: Block
  private let slope: Block
  private let curve: Block
  private let fittedSlope: Block
  private let fittedCurve: Block

  /// The block that begins at `index`, behind at least four values.
  @inline(__always)
  init(_ values: Span<Value>, at index: Int, line: Block) {
    let current = Self.block(values, at: index)
    let before = Self.block(values, at: index &- 1)
    let secondBefore = Self.block(values, at: index &- 2)
    let thirdBefore = Self.block(values, at: index &- 3)
    let fourthBefore = Self.block(values, at: index &- 4)
    let step = before &- secondBefore
    let stepBefore = secondBefore &- thirdBefore
    let secondStepBefore = thirdBefore &- fourthBefore
    self.line = current &- line
    previous = current &- before
    slope = previous &- step
    curve = slope &- step &+ stepBefore
    let one = Block(repeating: 1)
    // Shifts and sums, since a baseline processor has no product of such lanes.
    fittedSlope = previous &- (stepBefore &+ secondStepBefore &+ one) &>> one
    let two = Block(repeating: 2)
    let sum = step &<< two &+ step &+ (stepBefore &- secondStepBefore) &<< one &- secondStepBefore
    fittedCurve = previous &- (sum &+ two) &>> two
  }

  /// The predictor to be taken behind a block that had `last`.
  @inline(__always)
  func best(after last: Predictor) -> Predictor {
    let sizes = (
      Self.size(of: line), Self.size(of: previous), Self.size(of: slope), Self.size(of: curve),
      Self.size(of: fittedSlope), Self.size(of: fittedCurve)
    )
    var best = last
    var least = size(last, of: sizes)
    // To change costs three bits, for which the residuals of a block have to shrink by a twelfth.
    least &-= least / 12
    for predictor in Predictor.allCases {
      let size = size(predictor, of: sizes)
      if size < least {
        least = size
        best = predictor
      }
    }
    return best
  }

  /// What a predictor leaves, with the sign in the lowest bit: 0, −1, 1, −2 become 0, 1, 2, 3.
  @inline(__always)
  func zigzag(_ predictor: Predictor) -> Block {
    let residuals = residuals(predictor)
    return residuals &<< Block(repeating: 1)
      ^ residuals &>> Block(repeating: Value(Value.bitWidth - 1))
  }

  @inline(__always)
  private func residuals(_ predictor: Predictor) -> Block {
    switch predictor {
    case .line: line
    case .previous: previous
    case .slope: slope
    case .curve: curve
    case .fittedSlope: fittedSlope
    case .fittedCurve: fittedCurve
    }
  }

  @inline(__always)
  private func size(
    _ predictor: Predictor, of sizes: (Value, Value, Value, Value, Value, Value)
  ) -> Value {
    switch predictor {
    case .line: sizes.0
    case .previous: sizes.1
    case .slope: sizes.2
    case .curve: sizes.3
    case .fittedSlope: sizes.4
    case .fittedCurve: sizes.5
    }
  }

  /// Sum of the magnitudes. It may turn over, which costs room and nothing else.
  @inline(__always)
  private static func size(of residuals: Block) -> Value {
    let signs = residuals &>> Block(repeating: Value(Value.bitWidth - 1))
    let sizes = (residuals ^ signs) &- signs
    let eight = sizes.lowHalf &+ sizes.highHalf
    let four = eight.lowHalf &+ eight.highHalf
    let two = four.lowHalf &+ four.highHalf
    return two.x &+ two.y
  }

  /// Whether nothing is left anywhere. Comparing lane by lane takes longer.
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
