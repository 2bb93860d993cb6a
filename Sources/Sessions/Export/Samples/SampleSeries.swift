public import Recording
public import Values

/// The samples of a session as one continuous series, read back from its chunks in order of time.
///
/// Memory holds one chunk per stream, whatever the session's length. Behind the last sample, `next`
/// may be asked again later: a session that is being recorded has grown meanwhile. What chunks lack
/// is told by `totals`; nothing waits for a chunk that is not there.
public struct SampleSeries: Sendable {
  /// A sample and where it comes from.
  public struct Sample: Hashable, Sendable {
    /// Position of its stream among those of the source.
    public let stream: Int
    /// When it was taken.
    public let time: BootTime
    /// The board's number of it.
    public let number: UInt32
    /// Its values in the order of the axes, in the stream's unit.
    public let values: [Double]
    /// The board's clock, in seconds; `nil` where the stream has none.
    public let boardSeconds: Double?
  }

  private var merge: SampleMerge
  private var gaps = GapTable()
  /// The stream whose sample was given last, which has to go on.
  private var current: Int?

  /// The series from its beginning, or from a place that another came to in the same selection.
  public init(
    _ source: some SessionSource,
    selection: ExportSelection = ExportSelection(), from place: SeriesPlace? = nil
  ) throws {
    merge = try SampleMerge(source, selection)
    try merge.begin(at: place, in: source, gaps: &gaps)
  }

  /// The next sample; `nil` when there is none yet.
  public mutating func next(
    in source: some SessionSource
  ) throws -> Sample? {
    if let current, !merge.step(current) {
      try merge.load(current, from: source, gaps: &gaps)
    }
    current = merge.earliest
    if current == nil {
      try merge.loadAll(from: source, gaps: &gaps)
      current = merge.earliest
    }
    guard let current else { return nil }
    let cursor = merge.cursors[current]
    return Sample(
      stream: merge.positions[current], time: BootTime(nanoseconds: cursor.time),
      number: cursor.number, values: (0..<cursor.axisCount).map { cursor.value($0) },
      boardSeconds: cursor.boardSeconds)
  }

  /// Where the next sample will come from, to be kept and gone on from in another run.
  public var place: SeriesPlace {
    var merge = merge
    if let current { _ = merge.step(current) }
    return merge.place
  }

  /// Samples left out so far, by stream. Rows are not counted here.
  public var totals: ExportTotals { merge.totals }
}

/// A place in the series of a session's samples: small, and good for as long as the session is
/// stored.
public struct SeriesPlace: Hashable, Sendable {
  /// A place in one stream.
  struct Stream: Hashable, Sendable {
    /// The chunk in which it is or after which it is.
    var sequence: UInt32?
    /// The row in that chunk; `nil` after its last one.
    var row: Int?
  }

  var streams: [Stream]
}
