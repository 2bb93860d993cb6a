/// Up to 2,000 consecutive samples of one stream, in columns. Once sealed it never changes.
public struct Chunk: Hashable, Sendable {
  /// Samples in a full chunk.
  public static let capacity = 2_000

  /// When each sample was taken, as a straight line through its counter.
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

    /// By how many millionths the board was faster than this rate in samples per second; `nil` where that
    /// is no rate.
    public func drift(against rate: Double) -> Double? {
      let drift = (1e9 / (period * rate) - 1) * 1e6
      return drift.isFinite ? drift : nil
    }
  }

  /// Identifier for ever; what is uploaded goes under it.
  public var id: UniqueID
  /// The session it belongs to.
  public var session: UniqueID
  /// The boot whose clock its times are on.
  public var bootID: UniqueID
  /// The board it came from.
  public var board: BoardIdentity
  /// What it carries.
  public var stream: StreamDescription
  /// Position in its stream: 0, 1, 2 …
  public var sequence: UInt32
  /// When its samples were taken.
  public var clock: Clock
  /// The board's number of each sample, modulo 2³².
  public var counters: [UInt32]
  /// Arrival of each sample's packet.
  public var arrivals: [BootTime]
  /// The board's clock at each sample, in ticks modulo 2³²; empty unless the stream has them.
  public var ticks: [UInt32]
  /// Raw values, one column per axis.
  public var columns: [[Int32]]
  /// What is missing since the chunk before, and within.
  public var gaps: [Gap]
  /// The fixes that arrived in its span.
  public var fixes: [Fix]

  /// A chunk with the given parts.
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

  /// When the sample at `index` was taken.
  public func time(at index: Int) -> BootTime {
    let steps = counters[index] &- counters[0]
    return BootTime(
      nanoseconds: clock.first.nanoseconds + Int64((Double(steps) * clock.period).rounded()))
  }

  /// When each sample was taken.
  public var times: [BootTime] { counters.indices.map { time(at: $0) } }
}
