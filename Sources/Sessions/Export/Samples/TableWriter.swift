internal import Recording
internal import Values

/// Writes one row per instant: the samples of all streams that were taken at that instant, side by
/// side.
struct TableWriter: RowWriter {
  var merge: SampleMerge
  var fixes: FixWindow
  var buffer: TextBuffer
  private let columns: TableColumns
  private var moments: MomentWriter
  /// Maximum difference between the times of samples in a row, in nanoseconds.
  private let tolerance: Int64
  private var former = Int64.min
  /// The cursors whose next chunks must be loaded before the next row.
  private var exhausted: [Int] = []

  /// Minimum number of nanoseconds between two rows, since times are written in microseconds.
  private static let leastStep: Int64 = 1_000

  /// Creates a writer for the samples of a merge, which must include the lost samples.
  init(_ merge: SampleMerge, _ source: some SessionSource, maximumFixAge: Double) throws {
    self.merge = merge
    let clock = ClockTable(try source.clockEntries())
    fixes = FixWindow(clock, maximumAge: maximumFixAge)
    moments = MomentWriter(start: source.session.start, clock, isJSON: false)
    tolerance = Self.tolerance(merge.streams)
    columns = TableColumns(merge.streams)
    buffer = TextBuffer(rowSize: columns.rowSize)
    buffer.append(columns.header)
  }

  /// Returns half the shortest sample period of the streams, in nanoseconds. With a longer
  /// tolerance, two samples of one stream could belong to the same row.
  static func tolerance(_ streams: [SourceStream]) -> Int64 {
    let rates = streams.map(\.description.rate).filter { $0.isFinite && $0 > 0 }
    return rates.max().map { Int64(min(0.5e9 / $0, 1e15)) } ?? 0
  }

  mutating func fill() -> RowNeed {
    while true {
      if let index = exhausted.popLast() { return .chunk(index) }
      guard let first = merge.earliest else { return .nothing }
      let earliest = merge.time(first)
      let time = BootTime(nanoseconds: max(earliest, former &+ Self.leastStep))
      if fixes.needsMore(at: time) { return .fixes }
      if buffer.isFull { return .room }
      appendRow(at: time, until: min(earliest, .max - 1 - tolerance) + tolerance)
      former = time.nanoseconds
    }
  }

  private mutating func appendRow(at time: BootTime, until limit: Int64) {
    let position = fixes.position(at: time)
    let isPositioned = position.position != nil
    moments.append(fieldsOf: time, to: &buffer)
    for index in merge.positions.indices {
      guard merge.time(index) <= limit else {
        buffer.append(columns.empty[index])
        continue
      }
      if merge.isLost(index) {
        buffer.append(columns.lost[index])
      } else {
        merge.cursors[index].appendFields(to: &buffer)
        merge.count(index, isPositioned: isPositioned)
      }
      if !merge.step(index) { exhausted.append(index) }
    }
    moments.append(fieldsOf: position, to: &buffer)
    buffer.append(UInt8(ascii: "\n"))
  }
}
