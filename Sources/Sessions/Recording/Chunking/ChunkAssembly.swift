public import Values

/// Joins the runs of one chunk, in the order in which they were written. Runs may be repeated or
/// missing.
public struct ChunkAssembly: Sendable {
  private var chunk: Chunk
  /// Position in the chunk after the last run, including missing samples.
  private var reached = ChunkPosition()

  /// Begins a chunk of the stream of `model`.
  public init(like model: Chunk, id: UniqueID, sequence: UInt32) {
    chunk = Chunk(
      id: id, session: model.session, bootID: model.bootID, board: model.board,
      stream: model.stream, sequence: sequence,
      clock: model.clock, counters: [], arrivals: [],
      columns: Array(repeating: [], count: model.stream.axisCount), gaps: [], fixes: [])
  }

  /// Samples of the chunk that no run has contained so far.
  public private(set) var missing = 0

  /// Adds the next run. A run of another chunk, or beyond a chunk's capacity, is left out.
  public mutating func add(_ piece: ChunkPiece) {
    let known = min(max(0, reached.samples - piece.start), piece.counters.count)
    guard piece.sequence == chunk.sequence, piece.fits(chunk.stream),
      chunk.count + piece.counters.count - known <= Chunk.capacity
    else { return }
    if known < piece.counters.count {
      noteMissing(before: piece)
      if chunk.counters.isEmpty { chunk.clock.first = piece.arrivals[0] }
      chunk.counters += piece.counters[known...]
      chunk.arrivals += piece.arrivals[known...]
      if chunk.stream.hasBoardTicks { chunk.ticks += piece.ticks[known...] }
      for axis in chunk.columns.indices { chunk.columns[axis] += piece.columns[axis][known...] }
      // The last run has the best line, which is extended back to the first sample of the chunk.
      if let clock = piece.clock {
        let steps = Double(Int32(bitPattern: piece.counters[0] &- chunk.counters[0]))
        // Bounded, since bytes from a disk may contain any value.
        let distance = Int64(min(max(steps * clock.period, -1e18), 1e18).rounded())
        chunk.clock = Chunk.Clock(
          first: BootTime(nanoseconds: clock.first.nanoseconds &- distance), period: clock.period)
      }
    }
    chunk.gaps += piece.gaps[min(max(0, reached.gaps - piece.firstGap), piece.gaps.count)...]
    reached.samples = max(reached.samples, piece.end.samples)
    reached.gaps = max(reached.gaps, piece.end.gaps)
  }

  /// The chunk, with the fixes that arrived in its span; `nil` if no run of it was found.
  public func sealed(fixes: [Fix]) -> Chunk? {
    guard let first = chunk.arrivals.first, let last = chunk.arrivals.last else { return nil }
    var chunk = chunk
    // Limited: all fixes are in the session's track anyway.
    chunk.fixes = Array(
      fixes.lazy.filter { first <= $0.arrival && $0.arrival <= last }.prefix(Chunk.mostFixes))
    return chunk
  }

  /// Counts samples between the last run and this one that are not on the disk.
  private mutating func noteMissing(before piece: ChunkPiece) {
    let lost = piece.start - reached.samples
    guard lost > 0 else { return }
    missing += lost
    chunk.gaps.append(
      Gap(
        start: chunk.arrivals.last ?? piece.arrivals[0], end: piece.arrivals[0],
        lost: UInt64(lost), isEstimate: false, reason: .store))
  }
}
