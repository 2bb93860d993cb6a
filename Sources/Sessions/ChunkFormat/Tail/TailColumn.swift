/// The state from which the next value of one column in the tail is predicted. The state carries
/// over from frame to frame.
///
/// The prediction is the same as in a chunk, with one exception. The level of `Predictor.line` is
/// the mean of the latest values, since later values are not known yet.
struct TailColumn {
  /// Pace of the residual scale: its mean moves by an eighth of its difference from each code.
  private static let pace: UInt8 = 3
  /// Pace of the level: it moves by an eighth of its difference from each value.
  private static let levelPace: Int64 = 3

  private var value: Int32
  private var steps: (Int32, Int32, Int32) = (0, 0, 0)
  /// The mean level of the latest values, in units of 1/16.
  private var level: Int64
  /// The predictor used for the latest run of values.
  private var predictor = Predictor.previous
  private var scale = ResidualScale(bits: 0, pace: Self.pace)

  init(_ first: Int32) {
    value = first
    level = Int64(first) << 4
  }

  // MARK: Writing

  /// Appends values that follow the previous ones. In a new column, the first value is written
  /// verbatim.
  mutating func append(
    _ values: [Int32], isFresh: Bool, codes: inout [UInt64], _ packer: inout BitPacker,
    into words: inout MutableSpan<UInt32>
  ) {
    var start = 0
    if isFresh {
      self = TailColumn(values[0])
      packer.putWhole(UInt64(Self.zigzag(values[0])), into: &words)
      start = 1
    }
    let best = self.best(for: values, from: start)
    if best == predictor {
      packer.put(1, count: 1, into: &words)
    } else {
      packer.put(UInt64(best.rawValue), count: 4, into: &words)
      predictor = best
    }
    codes.removeAll(keepingCapacity: true)
    for index in start..<values.count {
      codes.append(UInt64(Self.zigzag(values[index] &- foretold)))
      take(values[index])
    }
    if isFresh { scale = packer.putScale(for: codes, pace: Self.pace, into: &words) }
    for code in codes {
      packer.putResidual(code, plainBits: scale.plainBits, width: Int32.bitWidth, into: &words)
      scale.follow(code)
    }
  }

  /// Returns the predictor that leaves the smallest residuals for these values.
  private func best(for values: [Int32], from start: Int) -> Predictor {
    var probe = self
    var sums: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)
    for index in start..<values.count {
      let value = values[index]
      let (s1, s2, s3) = probe.steps
      let previous = value &- probe.value
      let slope = previous &- s1
      sums.0 &+= UInt64((value &- probe.foretoldLevel).magnitude)
      sums.1 &+= UInt64(previous.magnitude)
      sums.2 &+= UInt64(slope.magnitude)
      sums.3 &+= UInt64((slope &- s1 &+ s2).magnitude)
      sums.4 &+= UInt64((previous &- (s2 &+ s3 &+ 1) &>> 1).magnitude)
      sums.5 &+= UInt64((previous &- (5 &* s1 &+ 2 &* s2 &- 3 &* s3 &+ 2) &>> 2).magnitude)
      probe.take(value)
    }
    // Compares the predictors' sums of residuals one by one, since an array would have to be
    // allocated for each run of each column. If several sums are equal, the first predictor wins.
    var best = (Predictor.line, sums.0)
    if sums.1 < best.1 { best = (.previous, sums.1) }
    if sums.2 < best.1 { best = (.slope, sums.2) }
    if sums.3 < best.1 { best = (.curve, sums.3) }
    if sums.4 < best.1 { best = (.fittedSlope, sums.4) }
    if sums.5 < best.1 { best = (.fittedCurve, sums.5) }
    return best.0
  }

  // MARK: Reading

  /// Reads the next `count` values; `nil` if the bits are invalid. `former` is the state before
  /// these values; `nil` at the beginning of the column.
  static func next(
    _ count: Int, behind former: TailColumn?, _ bits: inout BitCursor, end: Int,
    in bytes: Span<UInt8>
  ) -> (values: [Int32], column: TailColumn)? {
    var values: [Int32] = []
    values.reserveCapacity(count)
    var column: TailColumn
    if let former {
      column = former
    } else {
      guard let whole = bits.whole(end: end, in: bytes), whole <= UInt32.max else { return nil }
      column = TailColumn(unzigzag(UInt32(whole)))
      values.append(column.value)
    }
    guard bits.offset < end, bits.predictor(&column.predictor, in: bytes) else { return nil }
    if former == nil {
      guard let scale = bits.scale(pace: pace, end: end, in: bytes) else { return nil }
      column.scale = scale
    }
    while values.count < count {
      guard bits.offset < end else { return nil }
      let code = bits.residual(
        plainBits: column.scale.plainBits, width: Int32.bitWidth, in: bytes)
      column.scale.follow(code)
      let value = column.foretold &+ unzigzag(UInt32(truncatingIfNeeded: code))
      column.take(value)
      values.append(value)
    }
    return bits.offset <= end ? (values, column) : nil
  }

  // MARK: Both

  private var foretoldLevel: Int32 { Int32(truncatingIfNeeded: level >> 4) }

  private var foretold: Int32 {
    if predictor == .line { return foretoldLevel }
    let weights = predictor.weights
    let shift = Int32(truncatingIfNeeded: weights.shift)
    let half: Int32 = (1 &<< shift) &>> 1
    let sum =
      Int32(truncatingIfNeeded: weights.latest) &* steps.0
      &+ Int32(truncatingIfNeeded: weights.second) &* steps.1
      &+ Int32(truncatingIfNeeded: weights.third) &* steps.2
    return value &+ (sum &+ half) &>> shift
  }

  private mutating func take(_ next: Int32) {
    steps = (next &- value, steps.0, steps.1)
    value = next
    level += (Int64(next) << 4 - level) >> Self.levelPace
  }

  private static func zigzag(_ value: Int32) -> UInt32 {
    UInt32(bitPattern: value << 1 ^ value >> 31)
  }

  private static func unzigzag(_ code: UInt32) -> Int32 {
    Int32(bitPattern: code >> 1) ^ -Int32(bitPattern: code & 1)
  }
}

extension BitPacker {
  /// Appends a number of arbitrary size: six bits for its length, then its bits.
  mutating func putWhole(_ number: UInt64, into words: inout MutableSpan<UInt32>) {
    let length = UInt64.bitWidth - number.leadingZeroBitCount
    put(UInt64(length), count: 6, into: &words)
    putWide(number, count: length, into: &words)
  }

  /// Appends the initial size, in bits, of a residual scale for these codes.
  mutating func putScale(
    for codes: [UInt64], pace: UInt8, into words: inout MutableSpan<UInt32>
  ) -> ResidualScale {
    let sum = codes.prefix(Predictor.blockSize).reduce(UInt64(0)) {
      $0 + min($1, ResidualScale.largest)
    }
    let mean = sum / UInt64(max(1, min(codes.count, Predictor.blockSize)))
    let bits = UInt64.bitWidth - mean.leadingZeroBitCount
    put(UInt64(bits), count: 6, into: &words)
    return ResidualScale(bits: UInt8(bits), pace: pace)
  }
}

extension BitCursor {
  /// Reads a number that `putWhole` wrote.
  mutating func whole(end: Int, in bytes: Span<UInt8>) -> UInt64? {
    guard offset < end else { return nil }
    let length = wide(6, in: bytes)
    let number = wide(Int(length), in: bytes)
    return offset <= end ? number : nil
  }

  /// Reads a scale that `putScale` wrote.
  mutating func scale(pace: UInt8, end: Int, in bytes: Span<UInt8>) -> ResidualScale? {
    guard offset < end else { return nil }
    let bits = wide(6, in: bytes)
    guard offset <= end, bits <= UInt64(ResidualScale.mostBits) else { return nil }
    return ResidualScale(bits: UInt8(bits), pace: pace)
  }
}
