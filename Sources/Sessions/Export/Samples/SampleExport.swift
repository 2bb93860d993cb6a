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
    return try writer.writeAll(from: source, to: &sink, &gaps, to: &gapSink, pause: pause)
  }
}

/// Writes rows into a buffer, from the samples of a merge.
///
/// A writer never calls a source or a sink. Instead, `fill` returns when it needs one. The inner
/// loop is therefore compiled only once, regardless of the types of source and sink.
protocol RowWriter {
  var merge: SampleMerge { get set }
  var fixes: FixWindow { get set }
  var buffer: TextBuffer { get set }

  /// Appends rows until the writer needs something from its caller.
  mutating func fill() -> RowNeed
}

/// The reason why a writer stopped.
enum RowNeed {
  /// The next chunk of this cursor must be loaded.
  case chunk(Int)
  /// The next fixes of the track must be loaded.
  case fixes
  /// The buffer is full and must be flushed.
  case room
  /// All samples have been written.
  case nothing
}

extension RowWriter {
  /// Writes all rows to a sink, and the gaps to `gapSink`. The merge must have begun.
  mutating func writeAll<Gaps: ByteSink & ~Copyable>(
    from source: some SessionSource, to sink: inout some ByteSink & ~Copyable,
    _ gaps: inout GapTable, to gapSink: inout Gaps, pause: (Int) throws -> Void
  ) throws -> ExportTotals {
    while true {
      switch fill() {
      case .chunk(let index):
        try merge.load(index, from: source, gaps: &gaps)
        if gaps.buffer.isFull { try gaps.buffer.flush(to: &gapSink) }
      case .fixes: try fixes.load(from: source)
      case .room:
        try buffer.flush(to: &sink)
        try pause(merge.totals.rows)
      case .nothing:
        try buffer.flush(to: &sink)
        try gaps.buffer.flush(to: &gapSink)
        return ExportTotals(
          streams: merge.totals.streams, hasUnknownLosses: try source.hasUnknownLosses())
      }
    }
  }
}
