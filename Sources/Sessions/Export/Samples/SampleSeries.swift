public import Recording
public import Values

/// Reads the samples of a session from its chunks as one continuous series, in chronological order.
///
/// Only one chunk per stream is in memory, however long the session is. If `next` returns `nil`
/// while the session is still being recorded, call it again later. The series does not wait for a
/// missing chunk; `totals` reports the loss.
public struct SampleSeries: Sendable {
  /// A sample, and the stream from which it comes.
  public struct Sample: Hashable, Sendable {
    /// Index of the sample's stream in the source's list of streams.
    public let stream: Int
    public let time: BootTime
    /// The sample number assigned by the board.
    public let number: UInt32
    /// The sample's values in the unit of the stream, in the order of the axes.
    public let values: [Double]
    /// The board's clock at the time of the sample, in seconds; `nil` if the stream does not
    /// include it.
    public let boardSeconds: Double?
  }

  private var merge: SampleMerge
  private var gaps = GapTable()
  /// Index of the cursor whose sample was returned last; the next call moves that cursor.
  private var current: Int?

  /// Starts at the first sample, or at a position saved by another series with the same selection.
  public init(
    _ source: some SessionSource,
    selection: ExportSelection = ExportSelection(), from place: SeriesPlace? = nil
  ) throws {
    merge = try SampleMerge(source, selection)
    try merge.begin(at: place, in: source, gaps: &gaps)
  }

  /// Returns the next sample; `nil` if there is none yet.
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

  /// The position of the next sample, from which a later series can continue.
  public var place: SeriesPlace {
    var merge = merge
    if let current { _ = merge.step(current) }
    return merge.place
  }

  /// The gaps and missing chunks of each stream up to the current position. Rows are not counted.
  public var totals: ExportTotals { merge.totals }
}

/// A position in the series of a session's samples. It is small, and remains valid for as long as
/// the session is stored.
public struct SeriesPlace: Hashable, Sendable {
  /// The position of a series in one stream.
  struct Stream: Hashable, Sendable {
    /// Sequence number of the chunk at this position; if `row` is `nil`, of the last chunk before
    /// it.
    var sequence: UInt32?
    /// The row in that chunk; `nil` if all its rows have been read.
    var row: Int?
  }

  var streams: [Stream]
}
