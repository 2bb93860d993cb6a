public import Recording
internal import Values

/// Writes a session as one table with a row per instant: the samples of all boards and the position
/// side by side.
///
/// Samples belong to the same row if their times differ by at most half the shortest sample period
/// of the selected streams. The row has the earliest of these times. Every sample is in exactly one
/// row. A field is empty if the stream has no sample at that instant, and `n/a` if its sample was
/// lost. Lost samples have rows like all others, so a gap is as long in the table as in time.
public struct TableExport: Sendable {
  /// The part of the session to write.
  public var selection: ExportSelection
  /// Maximum age in seconds of a fix that can provide the position of a row.
  public var maximumFixAge: Double
  /// Rows per second, whose values are interpolated; `nil` for the samples themselves.
  public var rate: Double?

  /// Creates an export of the selected part of a session, by default the whole session.
  public init(
    selection: ExportSelection = ExportSelection(),
    maximumFixAge: Double = FixTrack.defaultMaximumAge, rate: Double? = nil
  ) {
    self.selection = selection
    self.maximumFixAge = maximumFixAge
    self.rate = rate
  }

  /// Writes the table, and the gaps as a separate table; see `CSVExport.write`.
  public func write<Gaps: ByteSink & ~Copyable>(
    _ source: some SessionSource, to sink: inout some ByteSink & ~Copyable,
    gaps gapSink: inout Gaps, pause: (Int) throws -> Void = { _ in }
  ) throws -> ExportTotals {
    var gaps = Gaps.self == NoSink.self ? GapTable() : try GapTable(.rows, of: source)
    var merge = try SampleMerge(source, selection, visitsLosses: true)
    let streams = merge.streams
    try merge.begin(in: source, gaps: &gaps)
    var totals: ExportTotals
    if let rate {
      let clock = ClockTable(try source.clockEntries())
      let columns = TableColumns(streams)
      var buffer = TextBuffer(rowSize: columns.rowSize)
      buffer.append(columns.header)
      var writer = ResampledWriter(
        merge,
        TableRows(
          streams, columns, MomentWriter(start: source.session.start, clock, isJSON: false)),
        Resampler(streams, rate: rate, from: selection.from ?? source.session.start),
        FixWindow(clock, maximumAge: maximumFixAge), buffer)
      totals = try writer.writeAll(from: source, to: &sink, &gaps, to: &gapSink, pause: pause)
      totals.joining = .resampled(rate)
    } else {
      var writer = try TableWriter(merge, source, maximumFixAge: maximumFixAge)
      totals = try writer.writeAll(from: source, to: &sink, &gaps, to: &gapSink, pause: pause)
      totals.joining = .nearest(Double(TableWriter.tolerance(streams)) / 1e9)
    }
    return totals
  }
}
