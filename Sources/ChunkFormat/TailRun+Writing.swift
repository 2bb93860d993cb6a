internal import Recording

extension TailRun {
  /// Appends a run.
  mutating func append(
    _ piece: ChunkPiece, isFresh: Bool, base: Int64, to bytes: inout [UInt8],
    through words: inout [UInt32]
  ) {
    let isMoved =
      isFresh || piece.sequence != sequence || piece.start != end.samples
      || piece.firstGap != end.gaps
    let jumps = Self.jumps(of: piece, behind: isFresh ? nil : counter)
    var flags: UInt8 = isFresh ? Flag.fresh : 0
    if isMoved { flags |= Flag.moved }
    if jumps.contains(where: { $0 != 0 }) { flags |= Flag.jumps }
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
    if flags & Flag.jumps != 0 { appendJumps(jumps, &packer, into: &span) }
    appendArrivals(of: piece, isFresh: isFresh, &packer, into: &span)
    var codes: [UInt64] = []
    swap(&codes, &self.codes)
    let ticks = shape.hasTicks ? [piece.ticks.map { Int32(bitPattern: $0) }] : []
    for (index, values) in (ticks + piece.columns).enumerated() {
      columns[index].append(values, isFresh: isFresh, codes: &codes, &packer, into: &span)
    }
    swap(&codes, &self.codes)
    packer.finish(&span, into: &bytes)
    sequence = piece.sequence
    end = piece.end
    counter = piece.counters[piece.counters.count - 1]
  }

  /// How many numbers are left out before each sample; of the first only if one before it is known.
  private static func jumps(of piece: ChunkPiece, behind counter: UInt32?) -> [UInt32] {
    var before = counter ?? piece.counters[0] &- 1
    return piece.counters.map { counter in
      defer { before = counter }
      return counter &- before &- 1
    }
  }

  private func appendJumps(
    _ jumps: [UInt32], _ packer: inout BitPacker, into words: inout MutableSpan<UInt32>
  ) {
    var scale = ResidualScale(bits: 0, pace: 2)
    for jump in jumps {
      let step = Int32(bitPattern: jump)
      let code = UInt64(UInt32(bitPattern: step << 1 ^ step >> 31))
      packer.putResidual(code, plainBits: scale.plainBits, width: 32, into: &words)
      scale.follow(code)
    }
  }

  private mutating func appendArrivals(
    of piece: ChunkPiece, isFresh: Bool, _ packer: inout BitPacker,
    into words: inout MutableSpan<UInt32>
  ) {
    var starts = [0]
    for index in piece.arrivals.indices.dropFirst()
    where piece.arrivals[index] != piece.arrivals[index - 1] {
      starts.append(index)
    }
    let sizes = starts.indices.map { place in
      (place + 1 < starts.count ? starts[place + 1] : piece.arrivals.count) - starts[place]
    }
    let isUsual =
      sizes.dropLast().allSatisfy { $0 == packetSize } && sizes[sizes.count - 1] <= packetSize
    packer.put(isUsual ? 1 : 0, count: 1, into: &words)
    if !isUsual {
      for size in sizes {
        packer.putResidual(UInt64(size - 1), plainBits: 1, width: 32, into: &words)
      }
      packetSize = sizes.max() ?? 1
    }
    // The first of a group stands in bytes.
    var codes: [UInt64] = []
    for start in starts.dropFirst(isFresh ? 1 : 0) {
      let arrival = piece.arrivals[start].nanoseconds
      let late = arrival / shape.unit &- expected(piece.counters[start])
      codes.append(UInt64(bitPattern: late << 1 ^ late >> 63))
      follow(arrival)
    }
    if isFresh {
      arrivalScale = packer.putScale(for: codes, pace: Self.arrivalPace, into: &words)
    }
    for code in codes {
      packer.putResidual(code, plainBits: arrivalScale.plainBits, width: 64, into: &words)
      arrivalScale.follow(code)
    }
  }

  /// A period in parts of a nanosecond, if that is what it is.
  private static func parts(of period: Double) -> Int64? {
    let parts = period * periodParts
    guard parts.magnitude < 1e15, parts == parts.rounded(), parts.sign == .plus else { return nil }
    return Int64(parts)
  }

  /// No run takes more.
  private static func mostWords(count: Int, columns: Int) -> Int {
    let escape = ResidualCode.escapeZeros + 1
    let perSample = 2 * (escape + 32) + escape + 64 + columns * (escape + 32)
    return (count * perSample + (columns + 1) * 64) / 32 + 4
  }
}
