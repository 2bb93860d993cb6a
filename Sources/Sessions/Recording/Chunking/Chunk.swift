public import Values

/// Up to 2,000 consecutive samples of one stream, in columns. A sealed chunk never changes.
public struct Chunk: Hashable, Sendable {
  /// Samples in a full chunk.
  public static let capacity = 2_000
  /// Fixes in a chunk: a chunk whose span has that many is sealed before it is full.
  public static let mostFixes = 1 << 16

  /// The times of the samples, as a straight line through their counters.
  public struct Clock: Hashable, Sendable {
    /// Time of the chunk's first sample.
    public var first: BootTime
    /// Nanoseconds from one counted sample to the next.
    public var period: Double

    /// A line from the first sample with this period.
    public init(first: BootTime, period: Double) {
      self.first = first
      self.period = period
    }

    /// Time of the sample this many steps of the counter after the first one.
    public func time(after steps: UInt32) -> BootTime {
      BootTime(nanoseconds: first.nanoseconds + Int64((Double(steps) * period).rounded()))
    }

    /// By how many millionths the board was faster than this rate in samples per second; `nil` if
    /// `rate` is not a valid rate.
    public func drift(against rate: Double) -> Double? {
      let drift = (1e9 / (period * rate) - 1) * 1e6
      return drift.isFinite ? drift : nil
    }
  }

  /// Permanent identifier, also used for uploads.
  public var id: UniqueID
  public var session: UniqueID
  /// The boot whose clock gives the chunk's times.
  public var bootID: UniqueID
  public var board: BoardIdentity
  /// Its signal and the form of its samples.
  public var stream: StreamDescription
  /// Position of the chunk in its stream: 0, 1, 2 …
  public var sequence: UInt32
  /// The times of its samples.
  public var clock: Clock
  /// The board's number of each sample, modulo 2³².
  public var counters: [UInt32]
  /// Arrival of each sample's packet.
  public var arrivals: [BootTime]
  /// The board's clock at each sample, in ticks modulo 2³²; empty unless the stream has them.
  public var ticks: [UInt32]
  /// Raw values, one column per axis.
  public var columns: [[Int32]]
  /// The gaps since the previous chunk, and within this one.
  public var gaps: [Gap]
  /// The fixes that arrived in the chunk's span.
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

  /// Number of samples.
  public var count: Int { counters.count }

  /// Lost samples in all gaps.
  public var lostCount: UInt64 {
    gaps.reduce(UInt64(0)) { sum, gap in sum.addingSaturated(gap.lost) }
  }

  /// Samples lost between the previous chunk and the first sample.
  public var lostBeforeFirst: UInt64 {
    guard let first = arrivals.first else { return 0 }
    return gaps.filter { $0.end <= first }.reduce(0) { sum, gap in sum.addingSaturated(gap.lost) }
  }

  /// Time of the sample at `index`.
  public func time(at index: Int) -> BootTime {
    clock.time(after: counters[index] &- counters[0])
  }

  /// This chunk without its samples, which an additional gap counts as lost.
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

  /// Removes the samples only: board, stream and gaps stay.
  mutating func removeSamples() {
    counters = []
    arrivals = []
    ticks = []
    columns = Array(repeating: [], count: stream.axisCount)
  }

  /// Time of each sample.
  public var times: [BootTime] { counters.indices.map { time(at: $0) } }
}
