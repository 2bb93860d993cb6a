internal import Recording

/// Writes samples from a source to a sink, in any format.
struct SampleExport {
  let form: SampleForm
  let maximumFixAge: Double
  let selection: ExportSelection

  /// Writes the selected samples, and their gaps to `gapSink`.
  ///
  /// - Parameter pause: called periodically with the number of samples written; an error that it
  ///   throws ends the export.
  func write<Gaps: ByteSink & ~Copyable>(
    _ source: some SessionSource, to sink: inout some ByteSink & ~Copyable,
    _ gaps: inout GapTable, to gapSink: inout Gaps, pause: (Int) throws -> Void
  ) throws -> ExportTotals {
    var merge = try SampleMerge(source, selection)
    try merge.begin(in: source, gaps: &gaps)
    var writer = try SampleWriter(merge, source, form: form, maximumFixAge: maximumFixAge)
    while true {
      switch writer.fill() {
      case .chunk(let index):
        try writer.merge.load(index, from: source, gaps: &gaps)
        if gaps.buffer.isFull { try gaps.buffer.flush(to: &gapSink) }
      case .fixes: try writer.fixes.load(from: source)
      case .room:
        try writer.buffer.flush(to: &sink)
        try pause(writer.merge.totals.rows)
      case .nothing:
        try writer.buffer.flush(to: &sink)
        try gaps.buffer.flush(to: &gapSink)
        return ExportTotals(
          streams: writer.merge.totals.streams,
          hasUnknownLosses: try source.hasUnknownLosses())
      }
    }
  }
}
