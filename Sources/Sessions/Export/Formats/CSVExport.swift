public import Recording
internal import Values

/// Writes a session as one long table: a row per sample, with all streams merged in chronological
/// order.
///
/// The file is in UTF-8, with commas between fields and a line feed after each row. A field is
/// empty if its value is unknown or absent: the universal time in a session without a clock, an
/// axis that the signal does not have, a position without a recent fix. Only one chunk per stream
/// and a part of the track are in memory, however long the session is.
///
/// The file appears when it is complete. The export accepts any `SessionSource`:
///
///     var file = try OutputFile(path: path)
///     let totals = try CSVExport().write(session, to: &file)
///     try file.commit()
public struct CSVExport: Sendable {
  /// The first columns. `x` to `w` are the first to fourth axis of a signal, regardless of the
  /// names of its axes.
  public static let header =
    "time_utc,seconds,board,signal,x,y,z,w,lat,lon,alt_msl,fix_quality,fix_age,fix_method,"
    + "fix_error,time_source"

  /// The column that follows if any stream of the session includes its board's clock.
  public static let boardClockColumn = "board_seconds"

  /// The last columns: name of the board, unit and measuring range of the signal. A later version
  /// added them after the board clock, so that no existing column moved.
  public static let lastColumns = "name,unit,range"

  /// Returns the fields of the last columns, which are identical for all samples of a stream.
  public static func lastFields(
    of stream: StreamDescription, from board: BoardIdentity
  ) -> [String] {
    [CSVText.field(board.name), CSVText.field(stream.unit), rangeField(of: stream)]
  }

  static func rangeField(of stream: StreamDescription) -> String {
    stream.range.map { JSONValue.number($0).text } ?? ""
  }

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

  /// Writes the samples, and the gaps as a separate table. Missing or damaged chunks are skipped
  /// and reported.
  ///
  /// - Parameter pause: called periodically with the number of rows written so far; an error that
  ///   it throws ends the export.
  public func write<Gaps: ByteSink & ~Copyable>(
    _ source: some SessionSource, to sink: inout some ByteSink & ~Copyable,
    gaps gapSink: inout Gaps, pause: (Int) throws -> Void = { _ in }
  ) throws -> ExportTotals {
    let streams = try source.streams().filter(selection.includes)
    var gaps = Gaps.self == NoSink.self ? GapTable() : try GapTable(.rows, of: source)
    let form = SampleForm.row(
      isWide: false, hasBoardClock: streams.contains { $0.description.hasBoardTicks })
    return try SampleExport(form: form, maximumFixAge: maximumFixAge, selection: selection)
      .write(source, to: &sink, &gaps, to: &gapSink, pause: pause)
  }

  /// Writes only the samples, without the table of gaps.
  public func write(
    _ source: some SessionSource, to sink: inout some ByteSink & ~Copyable,
    pause: (Int) throws -> Void = { _ in }
  ) throws -> ExportTotals {
    var nowhere = NoSink()
    return try write(source, to: &sink, gaps: &nowhere, pause: pause)
  }

  /// Writes the samples of one stream as a separate table, with columns named after its axes and
  /// their units.
  ///
  /// - Precondition: The selection includes only that stream.
  public func writeStream<Gaps: ByteSink & ~Copyable>(
    _ source: some SessionSource, to sink: inout some ByteSink & ~Copyable,
    _ gaps: inout GapRows<Gaps>, pause: (Int) throws -> Void = { _ in }
  ) throws -> ExportTotals {
    let streams = try source.streams().filter(selection.includes)
    precondition(streams.count == 1, "select exactly one stream")
    let form = SampleForm.row(isWide: true, hasBoardClock: streams[0].description.hasBoardTicks)
    return try SampleExport(form: form, maximumFixAge: maximumFixAge, selection: selection)
      .write(source, to: &sink, &gaps.table, to: &gaps.sink, pause: pause)
  }
}

/// A table of gaps to which several exports of the same session append, one after another.
public struct GapRows<Sink: ByteSink & ~Copyable>: ~Copyable {
  var table: GapTable
  var sink: Sink

  public init(_ sink: consuming Sink, of source: some SessionSource) throws {
    table = try GapTable(.rows, of: source)
    self.sink = sink
  }

  public consuming func finish() throws -> Sink {
    try table.buffer.flush(to: &sink)
    return sink
  }
}
