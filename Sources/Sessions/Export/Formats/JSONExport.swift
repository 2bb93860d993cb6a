public import Recording
internal import Values

/// Writes a session's samples as JSON: as one document, or as one object per line (JSON Lines).
///
/// Every sample has the members `time` (universal, or null), `time_source` (the origin of `time`),
/// `seconds` since the session's start, `board`, `name`, `signal`, `unit`, `range` (or null),
/// `number` (the sample number assigned by the board), `values` by axis, and `position`. If the
/// position is null, `no_position` contains the reason. If the stream includes the board's clock, a
/// sample also has `board_seconds`. Only one chunk per stream is in memory, however long the
/// session is.
public struct JSONExport: Sendable {
  public var selection: ExportSelection
  /// Maximum age in seconds of a fix that can provide a sample's position.
  public var maximumFixAge: Double

  public init(
    selection: ExportSelection = ExportSelection(),
    maximumFixAge: Double = FixTrack.defaultMaximumAge
  ) {
    self.selection = selection
    self.maximumFixAge = maximumFixAge
  }

  /// Writes each sample as an object on its own line, and the gaps as a separate table; see
  /// `CSVExport.write`.
  public func writeLines<Gaps: ByteSink & ~Copyable>(
    _ source: some SessionSource, to sink: inout some ByteSink & ~Copyable,
    gaps gapSink: inout Gaps, pause: (Int) throws -> Void = { _ in }
  ) throws -> ExportTotals {
    var gaps = Gaps.self == NoSink.self ? GapTable() : try GapTable(.rows, of: source)
    return try samples(.object(isLine: true)).write(
      source, to: &sink, &gaps, to: &gapSink, pause: pause)
  }

  /// Writes one document: the session's description, its samples and its gaps.
  public func writeDocument<Gaps: ByteSink & ~Copyable>(
    _ source: some SessionSource, to sink: inout some ByteSink & ~Copyable,
    gaps gapSink: inout Gaps, pause: (Int) throws -> Void = { _ in }
  ) throws -> ExportTotals {
    var head = TextBuffer()
    head.append(
      String(try SessionDescription(source, selection: selection).json.text.dropLast())
        + #","samples":["#)
    try head.flush(to: &sink)
    var rows = Gaps.self == NoSink.self ? GapTable() : try GapTable(.rows, of: source)
    let totals = try samples(.object(isLine: false)).write(
      source, to: &sink, &rows, to: &gapSink, pause: pause)
    head.append("\n],\"gaps\":[")
    // The chunks are read a second time to find their gaps, since a long session with a poor link
    // may have more gaps than fit in memory.
    try appendGaps(source, to: &head, &sink, pause: { try pause(totals.rows) })
    head.append(
      "\n],\"missingChunks\":\(totals.missingChunks),"
        + "\"hasUnknownLosses\":\(totals.hasUnknownLosses)}\n")
    try head.flush(to: &sink)
    return totals
  }

  private func samples(_ form: SampleForm) -> SampleExport {
    SampleExport(form: form, maximumFixAge: maximumFixAge, selection: selection)
  }

  private func appendGaps<Sink: ByteSink & ~Copyable>(
    _ source: some SessionSource, to head: inout TextBuffer,
    _ sink: inout Sink, pause: () throws -> Void
  ) throws {
    try head.flush(to: &sink)
    var gaps = try GapTable(.json, of: source)
    for (position, stream) in try source.streams().enumerated() where selection.includes(stream) {
      var cursor = try StreamCursor(stream, position: position, of: selection, in: source)
      repeat {
        try cursor.load(from: source, gaps: &gaps)
        if gaps.buffer.isFull { try gaps.buffer.flush(to: &sink) }
        try pause()
      } while cursor.time != .max
    }
    try gaps.buffer.flush(to: &sink)
  }
}
