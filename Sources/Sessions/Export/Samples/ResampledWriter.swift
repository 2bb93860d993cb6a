internal import Recording
internal import Values

/// The format of rows that contain the values of all streams at an instant.
protocol InstantRows {
  static var havePositions: Bool { get }
  /// Space for the longest row, in bytes.
  var rowSize: Int { get }

  func heading(rate: Double) -> String

  /// Appends a row, or nothing if the format leaves out this row.
  mutating func append(
    at time: BootTime, _ position: PositionLookup, _ states: [Resampler.State],
    to buffer: inout TextBuffer)
}

/// Writes one row per regular instant, with the values of all streams at that instant.
struct ResampledWriter<Rows: InstantRows>: RowWriter {
  var merge: SampleMerge
  var fixes: FixWindow
  var buffer: TextBuffer
  private(set) var rows: Rows
  private var resampler: Resampler
  private var states: [Resampler.State]
  /// Whether the row of the current instant is still to be written.
  private var isPending = false
  private var isPositioned = false

  /// Creates a writer for the samples of a merge, which must include the lost samples.
  init(
    _ merge: SampleMerge, _ rows: Rows, rate: Double, from origin: BootTime, _ fixes: FixWindow
  ) {
    self.merge = merge
    self.rows = rows
    self.fixes = fixes
    resampler = Resampler(merge.streams, rate: rate, from: origin)
    buffer = TextBuffer(rowSize: rows.rowSize)
    buffer.append(rows.heading(rate: rate))
    states = Array(repeating: .absent, count: merge.positions.count)
  }

  mutating func fill() -> RowNeed {
    while isPending || resampler.step(merge) {
      isPending = true
      if let index = resampler.pass(&merge) { return .chunk(index) }
      if resampler.isAtEnd(merge) { break }
      if buffer.isFull { return .room }
      let time = BootTime(nanoseconds: resampler.time)
      var position = PositionLookup.absent(.noReceiver)
      if Rows.havePositions {
        if fixes.needsMore(at: time) { return .fixes }
        position = fixes.position(at: time)
        isPositioned = position.position != nil
      }
      for index in states.indices { states[index] = resampler.state(index, &merge) }
      rows.append(at: time, position, states, to: &buffer)
      resampler.count(isPositioned: isPositioned, &merge)
      isPending = false
    }
    resampler.count(isPositioned: isPositioned, &merge)
    return .nothing
  }
}
