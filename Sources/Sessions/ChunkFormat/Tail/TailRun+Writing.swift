internal import Recording
internal import Values

extension TailRun {
  mutating func append(
    _ piece: ChunkPiece, isFresh: Bool, base: Int64, to bytes: inout [UInt8],
    through words: inout [UInt32]
  ) {
    let isMoved =
      isFresh || piece.sequence != sequence || piece.start != end.samples
      || piece.firstGap != end.gaps
    let before = isFresh ? piece.counters[0] &- 1 : counter
    let isCounting = Self.isCounting(piece.counters, behind: before)
    var flags: UInt8 = isFresh ? Flag.fresh : 0
    if isMoved { flags |= Flag.moved }
    if !isCounting { flags |= Flag.jumps }
    if !piece.gaps.isEmpty { flags |= Flag.gaps }
    let parts = piece.clock.flatMap { Self.parts(of: $0.period) }
    if piece.clock != nil { flags |= Flag.clock | (parts == nil ? Flag.exactPeriod : 0) }
    bytes.append(flags)
    bytes.append(variableLength: UInt64(piece.counters.count))
    if isMoved {
      bytes.append(variableLength: UInt64(piece.sequence))
      bytes.append(variableLength: UInt64(piece.start))
      bytes.append(variableLength: UInt64(piece.firstGap))
    }
    if isFresh {
      bytes.append(shape.byte)
      bytes.append(
        variableLength: Int64(piece.counters[0]) - Self.usualCounter(piece.sequence, piece.start))
      bytes.append(variableLength: (piece.arrivals[0].nanoseconds &- base) / shape.unit)
    }
    if let clock = piece.clock {
      bytes.append(
        variableLength: clock.first.nanoseconds &- piece.arrivals[0].nanoseconds)
      if let parts {
        bytes.append(variableLength: parts)
      } else {
        bytes.append(littleEndian: clock.period)
      }
    }
    if !piece.gaps.isEmpty {
      bytes.append(variableLength: UInt64(piece.gaps.count))
      for gap in piece.gaps { gap.append(to: &bytes) }
    }
    if isFresh { period = Self.period(of: piece.clock) }
    let needed = Self.mostWords(count: piece.counters.count, columns: shape.columns)
    if words.count < needed { words = [UInt32](repeating: 0, count: needed) }
    var span = words.mutableSpan
    var packer = BitPacker()
    if !isCounting { Self.appendJumps(piece.counters, behind: before, &packer, into: &span) }
    var codes: [UInt64] = []
    swap(&codes, &self.codes)
    appendArrivals(of: piece, isFresh: isFresh, codes: &codes, &packer, into: &span)
    var place = 0
    if shape.hasTicks {
      let ticks = piece.ticks.map { Int32(bitPattern: $0) }
      columns[0].append(ticks, isFresh: isFresh, codes: &codes, &packer, into: &span)
      place = 1
    }
    for values in piece.columns {
      columns[place].append(values, isFresh: isFresh, codes: &codes, &packer, into: &span)
      place += 1
    }
    swap(&codes, &self.codes)
    packer.finish(&span, into: &bytes)
    sequence = piece.sequence
    end = piece.end
    counter = piece.counters[piece.counters.count - 1]
  }

  /// Whether the numbers are consecutive, starting after `before`.
  private static func isCounting(_ counters: [UInt32], behind before: UInt32) -> Bool {
    var expected = before
    for counter in counters {
      expected &+= 1
      if counter != expected { return false }
    }
    return true
  }

  /// Appends the number of counter values skipped before each sample.
  private static func appendJumps(
    _ counters: [UInt32], behind before: UInt32, _ packer: inout BitPacker,
    into words: inout MutableSpan<UInt32>
  ) {
    var scale = ResidualScale(bits: 0, pace: 2)
    var before = before
    for counter in counters {
      let step = Int32(bitPattern: counter &- before &- 1)
      before = counter
      let code = UInt64(UInt32(bitPattern: step << 1 ^ step >> 31))
      packer.putResidual(code, plainBits: scale.plainBits, width: 32, into: &words)
      scale.follow(code)
    }
  }

  private mutating func appendArrivals(
    of piece: ChunkPiece, isFresh: Bool, codes: inout [UInt64], _ packer: inout BitPacker,
    into words: inout MutableSpan<UInt32>
  ) {
    codes.removeAll(keepingCapacity: true)
    let arrivals = piece.arrivals
    // `start` is the first sample of the current packet. `isUsual` shows whether all earlier
    // packets had the usual size.
    var isUsual = true
    var start = 0
    for index in arrivals.indices {
      guard index == 0 || arrivals[index] != arrivals[index - 1] else { continue }
      if index > 0, index - start != packetSize { isUsual = false }
      start = index
      // The first arrival of a group has already been written, as whole bytes.
      if index == 0, isFresh { continue }
      let arrival = arrivals[index].nanoseconds
      let late = arrival / shape.unit &- expected(piece.counters[index])
      codes.append(UInt64(bitPattern: late << 1 ^ late >> 63))
      follow(arrival)
    }
    if arrivals.count - start > packetSize { isUsual = false }
    packer.put(isUsual ? 1 : 0, count: 1, into: &words)
    if !isUsual { appendPacketSizes(arrivals, &packer, into: &words) }
    if isFresh {
      arrivalScale = packer.putScale(for: codes, pace: Self.arrivalPace, into: &words)
    }
    for code in codes {
      packer.putResidual(code, plainBits: arrivalScale.plainBits, width: 64, into: &words)
      arrivalScale.follow(code)
    }
  }

  private mutating func appendPacketSizes(
    _ arrivals: [BootTime], _ packer: inout BitPacker, into words: inout MutableSpan<UInt32>
  ) {
    packetSize = 1
    var size = 0
    for index in arrivals.indices {
      size += 1
      guard index + 1 == arrivals.count || arrivals[index + 1] != arrivals[index] else { continue }
      packer.putResidual(UInt64(size - 1), plainBits: 1, width: 32, into: &words)
      packetSize = max(packetSize, size)
      size = 0
    }
  }

  /// Converts a period to sixteenths of a nanosecond; `nil` if the result is not a whole number.
  private static func parts(of period: Double) -> Int64? {
    let parts = period * periodParts
    guard parts.magnitude < 1e15, parts == parts.rounded(), parts.sign == .plus else { return nil }
    return Int64(parts)
  }

  /// The maximum number of words that a run can occupy.
  private static func mostWords(count: Int, columns: Int) -> Int {
    let escape = ResidualCode.escapeZeros + 1
    let perSample = 2 * (escape + 32) + escape + 64 + columns * (escape + 32)
    return (count * perSample + (columns + 1) * 64) / 32 + 4
  }
}
