internal import Recording

/// Writes a session as one table with a row per instant: the samples of all boards and the position
/// side by side.
///
/// Samples belong to the same row if their times differ by at most half the shortest sample period
/// of the selected streams. The row has the earliest of these times. Every sample is in exactly one
/// row. A field is empty if the stream has no sample at that instant, and `n/a` if its sample was
/// lost. Lost samples have rows like all others, so a gap has as many rows as the same time without
/// losses.
struct TableExport {
  var selection = ExportSelection()
  /// Maximum age in seconds of a fix that can provide a row's position.
  var maximumFixAge = FixTrack.defaultMaximumAge
  /// Rows per second, if values are interpolated; `nil` to write the samples themselves.
  var rate: Double?

  /// Writes the table, and the gaps as a separate table; see `CSVExport.write`.
  func write<Gaps: ByteSink & ~Copyable>(
    _ source: some SessionSource, to sink: inout some ByteSink & ~Copyable,
    gaps gapSink: inout Gaps, pause: (Int) throws -> Void = { _ in }
  ) throws -> ExportTotals {
    var gaps = Gaps.self == NoSink.self ? GapTable() : try GapTable(.rows, of: source)
    var merge = try SampleMerge(source, selection, visitsLosses: true)
    try merge.begin(in: source, gaps: &gaps)
    var totals: ExportTotals
    if let rate {
      let clock = ClockTable(try source.clockEntries())
      let moments = MomentWriter(start: source.session.start, clock, isJSON: false)
      var writer = ResampledWriter(
        merge, TableRows(merge.streams, moments), rate: rate,
        from: selection.from ?? source.session.start,
        FixWindow(clock, maximumAge: maximumFixAge))
      totals = try writer.writeAll(from: source, to: &sink, &gaps, to: &gapSink, pause: pause)
      totals.joining = .resampled(rate)
    } else {
      var writer = try TableWriter(merge, source, maximumFixAge: maximumFixAge)
      totals = try writer.writeAll(from: source, to: &sink, &gaps, to: &gapSink, pause: pause)
      totals.joining = .nearest(Double(TableWriter.tolerance(merge.streams)) / 1e9)
    }
    return totals
  }
}
