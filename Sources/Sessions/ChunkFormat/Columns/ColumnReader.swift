/// Reads columns that `ColumnEncoder` wrote. Invalid bytes are rejected without a crash.
///
/// The caller passes the bytes with each call. At least `BitCursor.reach` more bytes must follow
/// the columns, as they do in a chunk.
struct ColumnReader {
  private var cursor: ByteCursor
  /// Offset of the end of the section, in bytes.
  private let end: Int

  init(_ range: Range<Int>) {
    cursor = ByteCursor(offset: range.lowerBound)
    end = range.upperBound
  }

  var isAtEnd: Bool { cursor.offset == end }

  /// Reads the next unsigned number; `nil` at the end, or if the number has more than 64 bits.
  mutating func number(in bytes: Span<UInt8>) -> UInt64? {
    try? cursor.nextVariableLength(in: bytes.extracting(0..<end))
  }

  /// Reads the next signed number; `nil` at the end, or if the number has more than 64 bits.
  mutating func signedNumber(in bytes: Span<UInt8>) -> Int64? {
    try? cursor.nextSignedVariableLength(in: bytes.extracting(0..<end))
  }

  /// Reads the next byte; `nil` at the end.
  mutating func byte(in bytes: Span<UInt8>) -> UInt8? {
    try? cursor.next(UInt8.self, in: bytes.extracting(0..<end))
  }

  /// Reads the next column, of `count` values; `nil` if the bytes are not a valid column.
  mutating func column<Value: FixedWidthInteger & SignedInteger>(
    _ type: Value.Type, count: Int, in bytes: Span<UInt8>
  ) -> [Value]? {
    guard count > 0 else { return [] }
    guard let coding = byte(in: bytes).flatMap(ColumnCoding.init),
      let first = signedNumber(in: bytes).flatMap(Value.init(exactly:))
    else { return nil }
    switch coding {
    case .exceptions: return exceptions(behind: first, count: count, in: bytes)
    case .blocks: return blocks(behind: first, count: count, in: bytes)
    }
  }

  private mutating func exceptions<Value: FixedWidthInteger & SignedInteger>(
    behind first: Value, count: Int, in bytes: Span<UInt8>
  ) -> [Value]? {
    guard let predictor = byte(in: bytes).flatMap(Predictor.init),
      predictor == .previous || predictor == .slope,
      let number = number(in: bytes), number < count
    else { return nil }
    var values: [Value] = []
    values.reserveCapacity(count)
    values.append(first)
    var value = first
    var step: Value = 0
    /// Appends values at a constant step until the column has `index` values.
    func repeatSteps(until index: Int) {
      while values.count < index {
        value &+= step
        values.append(value)
      }
    }
    for _ in 0..<number {
      guard let distance = self.number(in: bytes), distance < count - values.count,
        let residual = signedNumber(in: bytes)
      else { return nil }
      repeatSteps(until: values.count + Int(distance))
      let change = Value(truncatingIfNeeded: residual)
      value &+= step &+ change
      values.append(value)
      if predictor == .slope { step &+= change }
    }
    repeatSteps(until: count)
    return values
  }

  private mutating func blocks<Value: FixedWidthInteger & SignedInteger>(
    behind first: Value, count: Int, in bytes: Span<UInt8>
  ) -> [Value]? {
    guard let start = byte(in: bytes), start <= ResidualScale.mostBits,
      let pace = byte(in: bytes), ResidualScale.paces.contains(pace),
      let base = signedNumber(in: bytes), let rise = signedNumber(in: bytes),
      rise.magnitude < ColumnLine.steepest.magnitude,
      // A value takes at least one bit, so memory is allocated only for as many values as the
      // remaining bytes can contain.
      count - 1 <= 8 * (end - cursor.offset)
    else { return nil }
    let line = ColumnLine(base: Int64(first) &+ base, rise: rise)
    var scale = ResidualScale(bits: start, pace: pace)
    var bits = BitCursor(atByte: cursor.offset)
    let lastBit = 8 * end
    var values = [Value](repeating: first, count: count)
    var span = values.mutableSpan
    var value = first
    var steps: (Value, Value, Value) = (0, 0, 0)
    var predictor = Predictor.curve
    var index = 1
    while index < count {
      guard bits.predictor(&predictor, in: bytes) else { return nil }
      let weights = predictor.weights
      let w1 = Value(truncatingIfNeeded: weights.latest)
      let w2 = Value(truncatingIfNeeded: weights.second)
      let w3 = Value(truncatingIfNeeded: weights.third)
      let shift = Value(truncatingIfNeeded: weights.shift)
      let half: Value = (1 &<< shift) &>> 1
      let isLine = predictor == .line
      let blockEnd = min(index &+ Predictor.blockSize, count)
      while index < blockEnd {
        guard bits.offset < lastBit else { return nil }
        let code = bits.residual(
          plainBits: scale.plainBits, width: Value.bitWidth, in: bytes)
        scale.follow(code)
        let residual =
          Value(truncatingIfNeeded: code &>> 1) ^ (0 &- Value(truncatingIfNeeded: code & 1))
        let foretold =
          isLine
          ? Value(truncatingIfNeeded: line.value(at: index))
          : value &+ (w1 &* steps.0 &+ w2 &* steps.1 &+ w3 &* steps.2 &+ half) &>> shift
        let next = foretold &+ residual
        steps = (next &- value, steps.0, steps.1)
        value = next
        span[index] = next
        index &+= 1
      }
    }
    guard bits.offset <= lastBit else { return nil }
    cursor.offset = bits.byteOffset
    return values
  }
}
