public import Values

/// Assembles a chunk from its runs of samples, added in the order in which they were written. Runs
/// may be repeated or missing.
public struct ChunkAssembly: Sendable {
  private var chunk: Chunk
  /// Position in the chunk after the last run that was added, including missing samples.
  private var reached = ChunkPosition()

  /// Starts a chunk of the same stream as `model`.
  public init(like model: Chunk, id: UniqueID, sequence: UInt32) {
    chunk = Chunk(
      id: id, session: model.session, bootID: model.bootID, board: model.board,
      stream: model.stream, sequence: sequence,
      clock: model.clock, counters: [], arrivals: [],
      columns: Array(repeating: [], count: model.stream.axisCount), gaps: [], fixes: [])
  }

  /// Number of the chunk's samples that are missing because no run contained them.
  public private(set) var missing = 0

  /// Adds the next run of samples. A run that belongs to another chunk, or extends beyond a chunk's
  /// capacity, is ignored.
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
      // Extrapolate the clock of the last run, which is the most accurate, back to the chunk's
      // first sample.
      if let clock = piece.clock {
        let steps = Double(Int32(bitPattern: piece.counters[0] &- chunk.counters[0]))
        // The time since the chunk's first sample is limited, since bytes read from a disk may
        // contain any value.
        let distance = Int64(min(max(steps * clock.period, -1e18), 1e18).rounded())
        chunk.clock = Chunk.Clock(
          first: BootTime(nanoseconds: clock.first.nanoseconds &- distance), period: clock.period)
      }
    }
    chunk.gaps += piece.gaps[min(max(0, reached.gaps - piece.firstGap), piece.gaps.count)...]
    reached.samples = max(reached.samples, piece.end.samples)
    reached.gaps = max(reached.gaps, piece.end.gaps)
  }

  /// Returns the chunk, with the fixes that arrived within its time span; `nil` if no run was
  /// added.
  public func sealed(fixes: [Fix]) -> Chunk? {
    guard let first = chunk.arrivals.first, let last = chunk.arrivals.last else { return nil }
    var chunk = chunk
    // The limit on the number of fixes loses no data, since the session's track contains all fixes.
    chunk.fixes = Array(
      fixes.lazy.filter { first <= $0.arrival && $0.arrival <= last }.prefix(Chunk.mostFixes))
    return chunk
  }

  /// Counts the samples between the previous run and this run that are missing from the disk.
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
