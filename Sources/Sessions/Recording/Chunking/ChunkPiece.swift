public import Values

/// A run of samples of an open chunk: the samples added since the previous run. It is never empty,
/// since a gap ends with a sample.
public struct ChunkPiece: Hashable, Sendable {
  /// Position of the run's chunk in the stream.
  public var sequence: UInt32
  /// Position of the run's first sample in the chunk.
  public var start: Int
  /// The clock of the chunk as known at the end of the run, from the run's first sample on; `nil`
  /// if it hardly differs from that of the previous run.
  public var clock: Chunk.Clock?
  /// The number of each sample.
  public var counters: [UInt32]
  /// Arrival of each sample's packet.
  public var arrivals: [BootTime]
  /// The board's clock at each sample; empty unless the stream has it.
  public var ticks: [UInt32]
  /// Raw values, one column per axis.
  public var columns: [[Int32]]
  /// Position of the run's first gap among the gaps of the chunk.
  public var firstGap: Int
  /// The gaps noted since the previous run.
  public var gaps: [Gap]

  /// A run with the given parts.
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

  /// The end of the run in its chunk.
  public var end: ChunkPosition {
    ChunkPosition(samples: start + counters.count, gaps: firstGap + gaps.count)
  }
}

/// An amount of a chunk's content.
public struct ChunkPosition: Hashable, Sendable {
  public var samples: Int
  public var gaps: Int

  /// The given numbers of samples and gaps, by default none.
  public init(samples: Int = 0, gaps: Int = 0) {
    self.samples = samples
    self.gaps = gaps
  }
}

extension Chunk {
  /// The samples after a position and the gaps with them; `nil` if there are none.
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
  /// A day in nanoseconds: no stream is slower.
  private static let longestPeriod = 86_400e9

  /// Whether the content of the run is valid for this stream.
  public func fits(_ stream: StreamDescription) -> Bool {
    let count = counters.count
    return start >= 0 && firstGap >= 0 && (1...Chunk.capacity).contains(count)
      && arrivals.count == count && ticks.count == (stream.hasBoardTicks ? count : 0)
      && columns.count == stream.axisCount && columns.allSatisfy { $0.count == count }
      && clock.map { (0...Self.longestPeriod).contains($0.period) } ?? true
  }
}
