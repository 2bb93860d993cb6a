public import Values

/// A run of samples in an open chunk: the samples added since the previous run. A run is never
/// empty: even a gap is stored with the sample that ends it.
public struct ChunkPiece: Hashable, Sendable {
  /// Sequence number of the chunk to which the run of samples belongs.
  public var sequence: UInt32
  /// Index of the run's first sample in its chunk.
  public var start: Int
  /// The chunk's clock as estimated at the end of the run, starting at the run's first sample;
  /// `nil` if it differs little from the previous run's clock.
  public var clock: Chunk.Clock?
  /// The number of each sample, as in `Chunk.counters`.
  public var counters: [UInt32]
  /// Arrival time of each sample's packet.
  public var arrivals: [BootTime]
  /// The board's clock at each sample, in ticks; empty if the stream does not include ticks.
  public var ticks: [UInt32]
  /// Raw sample values, one column per axis.
  public var columns: [[Int32]]
  /// Index of the run's first gap among the chunk's gaps.
  public var firstGap: Int
  /// The gaps found since the previous run.
  public var gaps: [Gap]

  public init(
    sequence: UInt32, start: Int, clock: Chunk.Clock?, counters: [UInt32], arrivals: [BootTime],
    ticks: [UInt32], columns: [[Int32]], firstGap: Int, gaps: [Gap]
  ) {
    self.sequence = sequence
    self.start = start
    self.clock = clock
    self.counters = counters
    self.arrivals = arrivals
    self.ticks = ticks
    self.columns = columns
    self.firstGap = firstGap
    self.gaps = gaps
  }

  public var end: ChunkPosition {
    ChunkPosition(samples: start + counters.count, gaps: firstGap + gaps.count)
  }
}

/// A position in a chunk: the number of samples and gaps before it.
public struct ChunkPosition: Hashable, Sendable {
  public var samples: Int
  public var gaps: Int

  public init(samples: Int = 0, gaps: Int = 0) {
    self.samples = samples
    self.gaps = gaps
  }
}

extension Chunk {
  /// Returns the chunk's samples and gaps after a position; `nil` if no samples follow it.
  public func piece(from position: ChunkPosition) -> ChunkPiece? {
    guard position.samples < count else { return nil }
    return ChunkPiece(
      sequence: sequence, start: position.samples,
      clock: Clock(first: time(at: position.samples), period: clock.period),
      counters: Array(counters[position.samples...]),
      arrivals: Array(arrivals[position.samples...]),
      ticks: stream.hasBoardTicks ? Array(ticks[position.samples...]) : [],
      columns: columns.map { Array($0[position.samples...]) }, firstGap: position.gaps,
      gaps: Array(gaps[position.gaps...]))
  }
}

extension ChunkPiece {
  /// One day in nanoseconds. No stream has a longer period.
  private static let longestPeriod = 86_400e9

  /// Whether the run's contents are valid for this stream.
  public func fits(_ stream: StreamDescription) -> Bool {
    let count = counters.count
    return start >= 0 && firstGap >= 0 && (1...Chunk.capacity).contains(count)
      && arrivals.count == count && ticks.count == (stream.hasBoardTicks ? count : 0)
      && columns.count == stream.axisCount && columns.allSatisfy { $0.count == count }
      && clock.map { (0...Self.longestPeriod).contains($0.period) } ?? true
  }
}
