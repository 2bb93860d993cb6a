internal import Recording
internal import Values

extension TailRun {
  /// Reads a run of samples. `former` is the stream's state after its previous run; `nil` at the
  /// beginning of a group.
  static func next(
    behind former: TailRun?, base: Int64, _ cursor: inout ByteCursor, end: Int,
    in bytes: Span<UInt8>
  ) throws -> (piece: ChunkPiece, run: TailRun) {
    let flags = try cursor.next(UInt8.self, in: bytes)
    let isFresh = flags & Flag.fresh != 0
    let count = Int(clamping: try cursor.nextCount(in: bytes))
    guard flags & ~Flag.all == 0, (1...Chunk.capacity).contains(count) else {
      throw TailRecord.Unreadable()
    }
    var sequence = former?.sequence ?? 0
    var start = former?.end ?? ChunkPosition()
    if flags & Flag.moved != 0 {
      sequence = UInt32(clamping: try cursor.nextCount(in: bytes))
      start.samples = Int(clamping: try cursor.nextCount(in: bytes))
      start.gaps = Int(clamping: try cursor.nextCount(in: bytes))
      guard sequence < .max, start.samples <= Chunk.capacity, start.gaps <= UInt32.max else {
        throw TailRecord.Unreadable()
      }
    }
    var run: TailRun
    var first: (counter: UInt32, arrival: Int64)?
    if isFresh {
      guard let shape = Shape(try cursor.next(UInt8.self, in: bytes)) else {
        throw TailRecord.Unreadable()
      }
      let counter = UInt32(
        truncatingIfNeeded: usualCounter(sequence, start.samples)
          &+ (try cursor.nextSignedCount(in: bytes)))
      let arrival = base &+ (try cursor.nextSignedCount(in: bytes)) &* shape.unit
      first = (counter, arrival)
      run = TailRun(
        shape: shape, sequence: sequence, end: start, counter: counter, arrival: arrival)
    } else {
      guard let former else { throw TailRecord.Unreadable() }
      run = former
    }
    // The clock is stored relative to the first arrival, which may be among the packed bits that
    // follow.
    var line: (distance: Int64, period: Double)?
    if flags & Flag.clock != 0 {
      let distance = try cursor.nextSignedCount(in: bytes)
      let period =
        flags & Flag.exactPeriod != 0
        ? try cursor.nextDouble(in: bytes)
        : Double(try cursor.nextSignedCount(in: bytes)) / periodParts
      line = (distance, period)
    }
    let gaps = flags & Flag.gaps != 0 ? try Self.gaps(&cursor, in: bytes) : []
    if isFresh {
      run.period = Self.period(
        of: line.map { Chunk.Clock(first: BootTime(nanoseconds: 0), period: $0.period) })
    }
    var bits = BitCursor(atByte: cursor.offset)
    let lastBit = 8 * end
    let counters = try run.counters(
      count, first: first?.counter, jumps: flags & Flag.jumps != 0, &bits, end: lastBit, in: bytes)
    let arrivals = try run.arrivals(
      counters, first: first?.arrival, &bits, end: lastBit, in: bytes)
    var columns: [[Int32]] = []
    for index in 0..<run.shape.columns {
      let former = isFresh ? nil : run.columns[index]
      let read = TailColumn.next(count, behind: former, &bits, end: lastBit, in: bytes)
      guard let (values, column) = read else { throw TailRecord.Unreadable() }
      columns.append(values)
      if isFresh { run.columns.append(column) } else { run.columns[index] = column }
    }
    cursor.offset = bits.byteOffset
    let ticks = run.shape.hasTicks ? columns.removeFirst().map { UInt32(bitPattern: $0) } : []
    let piece = ChunkPiece(
      sequence: sequence, start: start.samples,
      clock: line.map {
        Chunk.Clock(
          first: BootTime(nanoseconds: arrivals[0].nanoseconds &+ $0.distance), period: $0.period)
      }, counters: counters, arrivals: arrivals, ticks: ticks, columns: columns,
      firstGap: start.gaps, gaps: gaps)
    run.sequence = sequence
    run.end = piece.end
    run.counter = counters[count - 1]
    return (piece, run)
  }

  private static func gaps(
    _ cursor: inout ByteCursor, in bytes: Span<UInt8>
  ) throws -> [Gap] {
    let count = Int(clamping: try cursor.nextCount(in: bytes))
    guard count <= (bytes.count - cursor.offset) / Gap.recordSize else {
      throw TailRecord.Unreadable()
    }
    var gaps: [Gap] = []
    for _ in 0..<count {
      guard let gap = try Gap(&cursor, in: bytes) else { throw TailRecord.Unreadable() }
      gaps.append(gap)
    }
    return gaps
  }

  private func counters(
    _ count: Int, first: UInt32?, jumps: Bool, _ bits: inout BitCursor, end: Int,
    in bytes: Span<UInt8>
  ) throws -> [UInt32] {
    var counters: [UInt32] = []
    counters.reserveCapacity(count)
    var counter = first.map { $0 &- 1 } ?? counter
    var scale = ResidualScale(bits: 0, pace: 2)
    for _ in 0..<count {
      if jumps {
        guard bits.offset < end else { throw TailRecord.Unreadable() }
        let code = bits.residual(plainBits: scale.plainBits, width: 32, in: bytes)
        scale.follow(code)
        counter &+= UInt32(truncatingIfNeeded: code >> 1) ^ (0 &- UInt32(code & 1))
      }
      counter &+= 1
      counters.append(counter)
    }
    return counters
  }

  private mutating func arrivals(
    _ counters: [UInt32], first: Int64?, _ bits: inout BitCursor, end: Int,
    in bytes: Span<UInt8>
  ) throws -> [BootTime] {
    guard bits.offset < end else { throw TailRecord.Unreadable() }
    var sizes: [Int] = []
    var left = counters.count
    let isUsual = bits.wide(1, in: bytes) == 1
    while left > 0 {
      var size = packetSize
      if !isUsual {
        guard bits.offset < end else { throw TailRecord.Unreadable() }
        let code = bits.residual(plainBits: 1, width: 32, in: bytes)
        guard code < UInt64(left) else { throw TailRecord.Unreadable() }
        size = Int(code) + 1
      }
      sizes.append(min(size, left))
      left -= size
    }
    if !isUsual { packetSize = sizes.max() ?? 1 }
    if first != nil {
      guard let scale = bits.scale(pace: Self.arrivalPace, end: end, in: bytes) else {
        throw TailRecord.Unreadable()
      }
      arrivalScale = scale
    }
    var arrivals: [BootTime] = []
    arrivals.reserveCapacity(counters.count)
    for (place, size) in sizes.enumerated() {
      var arrival = first ?? 0
      if place > 0 || first == nil {
        guard bits.offset < end else { throw TailRecord.Unreadable() }
        let code = bits.residual(plainBits: arrivalScale.plainBits, width: 64, in: bytes)
        arrivalScale.follow(code)
        let late = Int64(bitPattern: code >> 1) ^ -Int64(bitPattern: code & 1)
        arrival = (expected(counters[arrivals.count]) &+ late) &* shape.unit
        follow(arrival)
      }
      arrivals.append(contentsOf: repeatElement(BootTime(nanoseconds: arrival), count: size))
    }
    return arrivals
  }
}
