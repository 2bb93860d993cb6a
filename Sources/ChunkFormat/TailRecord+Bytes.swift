internal import Recording

extension TailRecord {
  /// The bytes of a record are no record.
  private struct Unreadable: Error {}

  /// A moment near those of the record.
  var time: BootTime? {
    switch self {
    case .stream: nil
    case .samples(_, let piece): piece.arrivals.first
    case .fix(let fix): fix.arrival
    case .clock(let entry): entry.boot
    }
  }

  func append(to bytes: inout [UInt8], base: BootTime) {
    switch self {
    case .stream(let number, let chunk):
      let encoded = chunk.encoded()
      bytes.append(TailFrame.Kind.stream.rawValue)
      bytes.append(variableLength: UInt64(number))
      bytes.append(variableLength: UInt64(encoded.count))
      bytes += encoded
    case .samples(let number, let piece):
      bytes.append(TailFrame.Kind.samples.rawValue)
      bytes.append(variableLength: UInt64(number))
      piece.append(to: &bytes, base: base)
    case .fix(let fix):
      bytes.append(TailFrame.Kind.fix.rawValue)
      fix.append(to: &bytes)
    case .clock(let entry):
      bytes.append(TailFrame.Kind.clock.rawValue)
      bytes.append(littleEndian: entry.boot.nanoseconds)
      bytes.append(littleEndian: entry.utc.nanoseconds)
      bytes.append(entry.source.rawValue)
    }
  }

  init(_ cursor: inout ByteCursor, in bytes: Span<UInt8>, base: BootTime) throws {
    switch TailFrame.Kind(rawValue: try cursor.next(UInt8.self, in: bytes)) {
    case .stream:
      let number = try Self.number(&cursor, in: bytes)
      let length = Int(clamping: try cursor.nextCount(in: bytes))
      let encoded = try cursor.nextBytes(length, in: bytes)
      self = .stream(number, try Chunk(decoding: encoded.span))
    case .samples:
      let number = try Self.number(&cursor, in: bytes)
      self = .samples(number, try ChunkPiece(&cursor, in: bytes, base: base))
    case .fix:
      guard let fix = try Fix(&cursor, in: bytes) else { throw Unreadable() }
      self = .fix(fix)
    case .clock:
      let boot = try cursor.next(Int64.self, in: bytes)
      let utc = try cursor.next(Int64.self, in: bytes)
      let source = ClockTable.Source(rawValue: try cursor.next(UInt8.self, in: bytes))
      guard let source else { throw Unreadable() }
      self = .clock(
        ClockTable.Entry(
          boot: BootTime(nanoseconds: boot), utc: UTCTime(nanoseconds: utc), source: source))
    case nil:
      throw Unreadable()
    }
  }

  private static func number(
    _ cursor: inout ByteCursor, in bytes: Span<UInt8>
  ) throws -> UInt16 {
    guard let number = UInt16(exactly: try cursor.nextCount(in: bytes)) else { throw Unreadable() }
    return number
  }
}

extension ChunkPiece {
  private struct Unreadable: Error {}

  private static let clockFlag: UInt8 = 1
  private static let ticksFlag: UInt8 = 2
  /// Arrivals are multiples of a microsecond, and written as such.
  private static let microsecondsFlag: UInt8 = 4
  /// The number of axes stands above these bits.
  private static let axisShift: UInt8 = 4

  fileprivate func append(to bytes: inout [UInt8], base: BootTime) {
    bytes.append(variableLength: UInt64(sequence))
    bytes.append(variableLength: UInt64(start))
    bytes.append(variableLength: UInt64(counters.count))
    let distances = arrivals.map { $0.nanoseconds &- base.nanoseconds }
    let unit: Int64 = distances.allSatisfy { $0 % 1_000 == 0 } ? 1_000 : 1
    bytes.append(
      UInt8(columns.count) << Self.axisShift | (clock == nil ? 0 : Self.clockFlag)
        | (ticks.isEmpty ? 0 : Self.ticksFlag) | (unit == 1 ? 0 : Self.microsecondsFlag))
    if let clock {
      bytes.append(variableLength: clock.first.nanoseconds &- base.nanoseconds)
      bytes.append(littleEndian: clock.period)
    }
    BitColumn.append(counters.map { Int64($0) }, to: &bytes)
    BitColumn.append(distances.map { $0 / unit }, to: &bytes)
    BitColumn.append(ticks.map { Int64($0) }, to: &bytes)
    for column in columns { BitColumn.append(column.map { Int64($0) }, to: &bytes) }
    bytes.append(variableLength: UInt64(firstGap))
    bytes.append(variableLength: UInt64(gaps.count))
    for gap in gaps { gap.append(to: &bytes) }
  }

  fileprivate init(_ cursor: inout ByteCursor, in bytes: Span<UInt8>, base: BootTime) throws {
    guard let sequence = UInt32(exactly: try cursor.nextCount(in: bytes)) else {
      throw Unreadable()
    }
    let start = Int(clamping: try cursor.nextCount(in: bytes))
    let count = Int(clamping: try cursor.nextCount(in: bytes))
    guard start <= Chunk.capacity, (1...Chunk.capacity).contains(count) else { throw Unreadable() }
    let flags = try cursor.next(UInt8.self, in: bytes)
    var clock: Chunk.Clock?
    if flags & Self.clockFlag != 0 {
      guard let distance = try cursor.nextSignedVariableLength(in: bytes) else {
        throw Unreadable()
      }
      clock = Chunk.Clock(
        first: BootTime(nanoseconds: base.nanoseconds &+ distance),
        period: try cursor.nextDouble(in: bytes))
    }
    let counters = try Self.column(UInt32.self, count, &cursor, in: bytes)
    let unit: Int64 = flags & Self.microsecondsFlag != 0 ? 1_000 : 1
    let arrivals = try BitColumn.next(count, &cursor, in: bytes)
      .map { BootTime(nanoseconds: base.nanoseconds &+ $0 &* unit) }
    let hasTicks = flags & Self.ticksFlag != 0
    let ticks = try Self.column(UInt32.self, hasTicks ? count : 0, &cursor, in: bytes)
    var columns: [[Int32]] = []
    for _ in 0..<(flags >> Self.axisShift) {
      columns.append(try Self.column(Int32.self, count, &cursor, in: bytes))
    }
    let firstGap = Int(clamping: try cursor.nextCount(in: bytes))
    let gapCount = Int(clamping: try cursor.nextCount(in: bytes))
    guard gapCount <= (bytes.count - cursor.offset) / Gap.recordSize else { throw Unreadable() }
    var gaps: [Gap] = []
    for _ in 0..<gapCount {
      guard let gap = try Gap(&cursor, in: bytes) else { throw Unreadable() }
      gaps.append(gap)
    }
    self.init(
      sequence: sequence, start: start, clock: clock, counters: counters, arrivals: arrivals,
      ticks: ticks, columns: columns, firstGap: min(firstGap, Int(UInt32.max)), gaps: gaps)
  }

  private static func column<T: FixedWidthInteger>(
    _ type: T.Type, _ count: Int, _ cursor: inout ByteCursor, in bytes: Span<UInt8>
  ) throws -> [T] {
    try BitColumn.next(count, &cursor, in: bytes).map { value in
      guard let value = T(exactly: value) else { throw Unreadable() }
      return value
    }
  }
}

extension ByteCursor {
  /// The next number without a sign.
  fileprivate mutating func nextCount(in bytes: Span<UInt8>) throws(EndOfBytes) -> UInt64 {
    guard let number = try nextVariableLength(in: bytes) else { throw EndOfBytes() }
    return number
  }
}
