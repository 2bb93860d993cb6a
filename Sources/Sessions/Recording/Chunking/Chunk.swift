public import Values

/// Up to 2,000 consecutive samples of one stream, stored in columns. A sealed chunk never changes.
public struct Chunk: Hashable, Sendable {
  public static let capacity = 2_000
  /// Maximum number of fixes in a chunk. A chunk with that many fixes is sealed before it is full.
  public static let mostFixes = 1 << 16

  /// Computes sample times as a linear function of the counter values.
  public struct Clock: Hashable, Sendable {
    /// Time of the chunk's first sample.
    public var first: BootTime
    /// Nanoseconds between consecutive counter values.
    public var period: Double

    public init(first: BootTime, period: Double) {
      self.first = first
      self.period = period
    }

    /// Returns the time of the sample that follows the first one by this many counter steps.
    public func time(after steps: UInt32) -> BootTime {
      BootTime(nanoseconds: first.nanoseconds + Int64((Double(steps) * period).rounded()))
    }

    /// Returns by how much the board ran faster than `rate` samples per second, in parts per
    /// million; `nil` if `rate` is invalid.
    public func drift(against rate: Double) -> Double? {
      let drift = (1e9 / (period * rate) - 1) * 1e6
      return drift.isFinite ? drift : nil
    }
  }

  /// Permanent identifier of the chunk, also used for uploads.
  public var id: UniqueID
  public var session: UniqueID
  /// The kernel's identifier of the boot during which the chunk was recorded.
  public var bootID: UniqueID
  public var board: BoardIdentity
  public var stream: StreamDescription
  /// Position of the chunk in its stream: 0, 1, 2 …
  public var sequence: UInt32
  public var clock: Clock
  /// The number of each sample, modulo 2³². It is the board's number, adjusted after restarts and
  /// for inferred losses.
  public var counters: [UInt32]
  /// Arrival time of each sample's packet.
  public var arrivals: [BootTime]
  /// The board's clock at each sample, in ticks modulo 2³²; empty if the stream does not include
  /// ticks.
  public var ticks: [UInt32]
  /// Raw sample values, one column per axis.
  public var columns: [[Int32]]
  /// The gaps found since the previous chunk was sealed.
  public var gaps: [Gap]
  /// The fixes that arrived within the chunk's time span.
  public var fixes: [Fix]

  public init(
    id: UniqueID, session: UniqueID, bootID: UniqueID, board: BoardIdentity,
    stream: StreamDescription, sequence: UInt32, clock: Clock, counters: [UInt32],
    arrivals: [BootTime], ticks: [UInt32] = [], columns: [[Int32]], gaps: [Gap], fixes: [Fix]
  ) {
    self.id = id
    self.session = session
    self.bootID = bootID
    self.board = board
    self.stream = stream
    self.sequence = sequence
    self.clock = clock
    self.counters = counters
    self.arrivals = arrivals
    self.ticks = ticks
    self.columns = columns
    self.gaps = gaps
    self.fixes = fixes
  }

  public var count: Int { counters.count }

  public var lostCount: UInt64 {
    gaps.reduce(UInt64(0)) { sum, gap in sum.addingSaturated(gap.lost) }
  }

  /// Number of samples lost between the previous chunk and the first sample.
  public var lostBeforeFirst: UInt64 {
    guard let first = arrivals.first else { return 0 }
    return gaps.filter { $0.end <= first }.reduce(0) { sum, gap in sum.addingSaturated(gap.lost) }
  }

  public func time(at index: Int) -> BootTime {
    clock.time(after: counters[index] &- counters[0])
  }

  /// Returns this chunk without its samples, and with an additional gap in which these samples are
  /// counted as lost.
  public func lost(as reason: LossReason) -> Chunk {
    var chunk = self
    if let start = arrivals.first, let end = arrivals.last {
      chunk.gaps.append(
        Gap(start: start, end: end, lost: UInt64(count), isEstimate: false, reason: reason))
      chunk.clock.first = start
    }
    chunk.clock.period = stream.rate > 0 ? 1e9 / stream.rate : 0
    chunk.removeSamples()
    return chunk
  }

  mutating func removeSamples() {
    counters = []
    arrivals = []
    ticks = []
    columns = Array(repeating: [], count: stream.axisCount)
  }

  public var times: [BootTime] { counters.indices.map { time(at: $0) } }
}
