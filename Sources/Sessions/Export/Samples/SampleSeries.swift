public import Recording
public import Values

/// The samples of a session as one continuous series, read from its chunks in time order.
///
/// Memory holds one chunk per stream, however long the session is. After the last sample, `next`
/// may be called again later: a session that is being recorded grows meanwhile. The series does not
/// wait for a missing chunk; `totals` reports the loss.
public struct SampleSeries: Sendable {
  /// A sample and its origin.
  public struct Sample: Hashable, Sendable {
    /// Position of its stream among those of the source.
    public let stream: Int
    public let time: BootTime
    /// The board's number of the sample.
    public let number: UInt32
    /// The sample's values in the order of the axes, in the stream's unit.
    public let values: [Double]
    /// The board's clock, in seconds; `nil` where the stream has none.
    public let boardSeconds: Double?
  }

  private var merge: SampleMerge
  private var gaps = GapTable()
  /// The stream of the last sample, whose cursor must advance.
  private var current: Int?

  /// The series from its beginning, or from a place of another series with the same selection.
  public init(
    _ source: some SessionSource,
    selection: ExportSelection = ExportSelection(), from place: SeriesPlace? = nil
  ) throws {
    merge = try SampleMerge(source, selection)
    try merge.begin(at: place, in: source, gaps: &gaps)
  }

  /// The next sample; `nil` if there is none yet.
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

  /// The place of the next sample, from which a later series can continue.
  public var place: SeriesPlace {
    var merge = merge
    if let current { _ = merge.step(current) }
    return merge.place
  }

  /// Samples left out so far, by stream; rows are not counted.
  public var totals: ExportTotals { merge.totals }
}

/// A place in the series of a session's samples. It is small, and valid as long as the session is
/// stored.
public struct SeriesPlace: Hashable, Sendable {
  /// A place in one stream.
  struct Stream: Hashable, Sendable {
    /// The chunk of the place, or the chunk before it.
    var sequence: UInt32?
    /// The row in that chunk; `nil` after its last one.
    var row: Int?
  }

  var streams: [Stream]
}
