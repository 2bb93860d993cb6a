/// Encodes a column in blocks, each with the predictor that leaves the smallest residuals.
struct BlockEncoder<Value: ColumnValue> {
  typealias Block = SIMD16<Value>

  /// The straight line through the column, relative to the first value.
  private let line: ColumnLine
  private let count: Int
  private var predictors: [Predictor] = []
  /// Zigzag-coded residuals: 0, −1, 1, −2 become 0, 1, 2, 3. The first value has no residual, and
  /// the last block is padded.
  private var codes: [Value]

  /// Computes the residuals of the `count` values that follow the first `lead` values in `padded`.
  /// These values must be followed by another block of padding.
  init(_ padded: Span<Value>, lead: Int, count: Int) {
    self.count = count
    let line = Self.line(through: padded.extracting(lead..<lead + count))
    self.line = line
    let first = Int64(padded[lead])
    let level = Block(repeating: Value(truncatingIfNeeded: first &+ line.base))
    // Only timestamps rise steadily, so other columns have a horizontal line.
    let rising: [Value] =
      line.rise == 0
      ? []
      : (0..<count + Predictor.blockSize).map {
        Value(truncatingIfNeeded: first &+ line.value(at: $0))
      }
    codes = [Value](repeating: 0, count: count + Predictor.blockSize)
    predictors.reserveCapacity(count / Predictor.blockSize + 1)
    var last = Predictor.curve
    for start in stride(from: 1, to: count, by: Predictor.blockSize) {
      let line = rising.isEmpty ? level : BlockResiduals.block(rising.span, at: start)
      let best = BlockResiduals<Value>(padded, at: lead + start, line: line).best(after: last)
      Self.store(
        BlockResiduals.zigzag(best, padded, at: lead + start, line: line), in: &codes, at: start)
      predictors.append(best)
      last = best
    }
  }

  /// Appends the encoded column, except its first value.
  func append(to bytes: inout [UInt8], through words: inout MutableSpan<UInt32>) {
    let sample = codes.prefix(Predictor.blockSize + 1).reduce(UInt64(0)) { sum, code in
      sum + min(Self.code(code), ResidualScale.largest)
    }
    let mean = sample / UInt64(Predictor.blockSize)
    let start = UInt8(UInt64.bitWidth - mean.leadingZeroBitCount)
    // Around a constant level, the residuals are noise of constant magnitude, so their scale should
    // adapt slowly. While the wearer moves, the residuals' magnitude changes quickly.
    let calm = predictors.reduce(0) { $0 + ($1 == .line ? 1 : 0) }
    let pace: UInt8 = 2 * calm >= predictors.count ? 4 : 2
    bytes.append(start)
    bytes.append(pace)
    bytes.append(variableLength: line.base)
    bytes.append(variableLength: line.rise)
    var packer = BitPacker()
    var scale = ResidualScale(bits: start, pace: pace)
    let codes = codes.span
    var last = Predictor.curve
    var index = 1
    for predictor in predictors {
      if predictor == last {
        packer.put(1, count: 1, into: &words)
      } else {
        packer.put(UInt64(predictor.rawValue), count: 4, into: &words)
      }
      last = predictor
      let end = min(index &+ Predictor.blockSize, count)
      while index < end {
        let code = Self.code(codes[index])
        packer.putResidual(
          code, plainBits: scale.plainBits, width: Value.bitWidth, into: &words)
        scale.follow(code)
        index &+= 1
      }
    }
    packer.finish(&words, into: &bytes)
  }

  /// Converts a zigzag code to an unsigned number.
  @inline(__always)
  private static func code(_ value: Value) -> UInt64 {
    UInt64(truncatingIfNeeded: Value.Magnitude(truncatingIfNeeded: value))
  }

  /// Fits a line to the column: the mean level of noisy values, or the steady rise of timestamps.
  private static func line(through values: Span<Value>) -> ColumnLine {
    let first = Int64(values[0])
    var line = ColumnLine(base: 0)
    let last = values.count - 1
    // Only timestamps rise steadily, and only their columns are 64 bits wide.
    if Value.bitWidth == 64, last > 0 {
      let (rise, isTooLong) = (Int64(values[last]) &- first).multipliedReportingOverflow(
        by: 1 << 16)
      let perValue = rise / Int64(last)
      if !isTooLong, perValue.magnitude < ColumnLine.steepest.magnitude { line.rise = perValue }
    }
    var sum: Int64 = 0
    for index in values.indices {
      sum &+= Int64(values[index]) &- first &- line.value(at: index)
    }
    line.base = Int64((Double(sum) / Double(values.count)).rounded())
    return line
  }

  @inline(__always)
  private static func store(_ block: Block, in codes: inout [Value], at index: Int) {
    var span = codes.mutableSpan
    // Safety: the store checks that its bytes are within the span, and any bit pattern is a valid
    // integer.
    var bytes = unsafe span.mutableBytes
    bytes.storeBytes(of: block, toByteOffset: index &* MemoryLayout<Value>.stride, as: Block.self)
  }
}
