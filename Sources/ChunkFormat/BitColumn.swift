/// A short column of whole numbers in as few bits as their steps need: for runs of some dozen samples, for
/// which a compressor's own bookkeeping would be most of what it writes.
///
/// The first number stands as a variable-length integer. Of the rest, the first or the second differences
/// are Rice-coded, whichever is shorter, with the parameter that is best for all of them.
enum BitColumn {
  /// Ones after which a number follows in full, so that one outlier costs 11 bytes and not thousands.
  private static let longestRun = 24
  private static let widest = 63

  static func append(_ values: [Int64], to bytes: inout [UInt8]) {
    guard let first = values.first else { return }
    bytes.append(variableLength: first)
    guard values.count > 1 else { return }
    let plain = steps(values, order: 1)
    let smooth = steps(values, order: 2)
    let (k1, cost1) = bestParameter(plain)
    let (k2, cost2) = bestParameter(smooth)
    let isSmooth = cost2 < cost1
    let parameter = isSmooth ? k2 : k1
    bytes.append(UInt8(parameter) | (isSmooth ? 0x80 : 0))
    var writer = BitWriter()
    for step in isSmooth ? smooth : plain { writer.appendRice(step, parameter, longestRun) }
    writer.finish(to: &bytes)
  }

  /// The next column of `count` numbers.
  static func next(
    _ count: Int, _ cursor: inout ByteCursor, in bytes: Span<UInt8>
  ) throws(ByteCursor.EndOfBytes) -> [Int64] {
    guard count > 0 else { return [] }
    // Every number but the first takes a bit at least.
    guard count - 1 <= 8 * (bytes.count - cursor.offset) else { throw ByteCursor.EndOfBytes() }
    guard let first = try cursor.nextSignedVariableLength(in: bytes) else {
      throw ByteCursor.EndOfBytes()
    }
    var values = [first]
    guard count > 1 else { return values }
    values.reserveCapacity(count)
    let kind = try cursor.next(UInt8.self, in: bytes)
    let parameter = Int(kind & 0x7f)
    guard parameter <= widest else { throw ByteCursor.EndOfBytes() }
    var reader = BitReader(offset: cursor.offset)
    var slope: Int64 = 0
    for _ in 1..<count {
      let step = unzigzag(try reader.nextRice(parameter, longestRun, in: bytes))
      slope = kind & 0x80 != 0 ? slope &+ step : step
      values.append(values[values.count - 1] &+ slope)
    }
    cursor.offset = reader.end
    return values
  }

  private static func steps(_ values: [Int64], order: Int) -> [UInt64] {
    var slope: Int64 = 0
    var steps: [UInt64] = []
    steps.reserveCapacity(values.count)
    for index in 1..<values.count {
      let step = values[index] &- values[index - 1]
      steps.append(zigzag(order == 1 ? step : step &- slope))
      slope = step
    }
    return steps
  }

  /// The parameter with which the steps take the fewest bits, and their number.
  private static func bestParameter(_ steps: [UInt64]) -> (parameter: Int, bits: Int) {
    let mean = steps.reduce(0.0) { $0 + Double($1) } / Double(steps.count)
    let guess = 64 - UInt64(min(mean, 9e18)).leadingZeroBitCount
    return (max(0, guess - 2)...min(widest, guess + 1))
      .map { parameter in
        (parameter, steps.reduce(0) { $0 + bits($1, parameter) })
      }
      .min { $0.1 < $1.1 } ?? (0, 0)
  }

  private static func bits(_ step: UInt64, _ parameter: Int) -> Int {
    let run = step >> UInt64(parameter)
    return run < longestRun ? Int(run) + 1 + parameter : longestRun + 64
  }

  private static func zigzag(_ value: Int64) -> UInt64 {
    UInt64(bitPattern: value << 1 ^ value >> 63)
  }

  private static func unzigzag(_ value: UInt64) -> Int64 {
    Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }
}

/// Puts numbers behind one another bit by bit, the highest bit of each first.
private struct BitWriter {
  private var bytes: [UInt8] = []
  private var pending: UInt64 = 0
  private var pendingCount = 0

  mutating func appendRice(_ value: UInt64, _ parameter: Int, _ longestRun: Int) {
    let run = value >> UInt64(parameter)
    guard run < UInt64(longestRun) else {
      append(.max, longestRun)
      append(value >> 32, 32)
      append(value, 32)
      return
    }
    append(.max << 1, Int(run) + 1)
    if parameter > 32 { append(value >> 32, parameter - 32) }
    append(value, min(parameter, 32))
  }

  /// Appends the lowest `count` bits, 32 at most.
  private mutating func append(_ value: UInt64, _ count: Int) {
    pending = pending << UInt64(count) | value & (1 << UInt64(count) - 1)
    pendingCount += count
    while pendingCount >= 8 {
      pendingCount -= 8
      bytes.append(UInt8(truncatingIfNeeded: pending >> UInt64(pendingCount)))
    }
  }

  consuming func finish(to all: inout [UInt8]) {
    if pendingCount > 0 { append(0, 8 - pendingCount) }
    all += bytes
  }
}

/// Takes numbers bit by bit from bytes that are lent at each call.
private struct BitReader {
  private var bit: Int

  init(offset: Int) {
    bit = 8 * offset
  }

  /// The byte behind the last one of which a bit was taken.
  var end: Int { (bit + 7) / 8 }

  mutating func nextRice(
    _ parameter: Int, _ longestRun: Int, in bytes: Span<UInt8>
  ) throws(ByteCursor.EndOfBytes) -> UInt64 {
    var run: UInt64 = 0
    while try next(in: bytes) == 1 {
      run += 1
      if run == longestRun { return try next(64, in: bytes) }
    }
    return run << UInt64(parameter) | (try next(parameter, in: bytes))
  }

  private mutating func next(
    _ count: Int, in bytes: Span<UInt8>
  ) throws(ByteCursor.EndOfBytes) -> UInt64 {
    var value: UInt64 = 0
    for _ in 0..<count { value = value << 1 | (try next(in: bytes)) }
    return value
  }

  private mutating func next(in bytes: Span<UInt8>) throws(ByteCursor.EndOfBytes) -> UInt64 {
    guard bit < 8 * bytes.count else { throw ByteCursor.EndOfBytes() }
    defer { bit += 1 }
    return UInt64(bytes[bit / 8] >> UInt8(7 - bit % 8) & 1)
  }
}
