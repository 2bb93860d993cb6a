public import Recording
internal import Values

/// A session as one long table: a row per sample, all streams merged in order of time.
///
/// UTF-8, comma, line feed. A field is empty where its value is unknown or absent: the universal
/// time of a session without a clock, axes a signal does not have, a position without a fresh fix.
/// Memory holds one chunk per stream and a part of the track, however long the session is.
///
/// A file of a session from any source appears when it is complete:
///
///     var file = try OutputFile(path: path)
///     let totals = try CSVExport().write(session, to: &file)
///     try file.commit()
public struct CSVExport: Sendable {
  /// The first columns. `x` to `w` are a signal's first to fourth axis, whatever their names.
  public static let header =
    "time_utc,seconds,board,signal,x,y,z,w,lat,lon,alt_msl,fix_quality,fix_age,fix_method,"
    + "fix_error,time_source"

  /// A column after these if any stream of the session has its board's clock.
  public static let boardClockColumn = "board_seconds"

  /// The last columns: name of the board, unit and measuring range of the signal. They were added
  /// later and follow the board clock, so that no other column moved.
  public static let lastColumns = "name,unit,range"

  /// The fields of the last columns, which all samples of a stream have in common.
  public static func lastFields(
    of stream: StreamDescription, from board: BoardIdentity
  ) -> [String] {
    [CSVText.field(board.name), CSVText.field(stream.unit), rangeField(of: stream)]
  }

  /// The range as a number; empty where it is not known.
  static func rangeField(of stream: StreamDescription) -> String {
    stream.range.map { JSONValue.number($0).text } ?? ""
  }

  /// The part of the session that is written.
  public var selection: ExportSelection
  /// Seconds after which a fix no longer gives a position.
  public var maximumFixAge: Double

  /// An export with the usual maximum age of a fix, unless another one is given.
  public init(
    selection: ExportSelection = ExportSelection(),
    maximumFixAge: Double = FixTrack.defaultMaximumAge
  ) {
    self.selection = selection
    self.maximumFixAge = maximumFixAge
  }

  /// Writes the samples, and beside them a table of the gaps. Missing or damaged chunks are left
  /// out and reported.
  ///
  /// - Parameter pause: called now and then with the number of rows so far; an error that it throws
  ///   ends the export.
  public func write<Gaps: ByteSink & ~Copyable>(
    _ source: some SessionSource, to sink: inout some ByteSink & ~Copyable,
    gaps gapSink: inout Gaps, pause: (Int) throws -> Void = { _ in }
  ) throws -> ExportTotals {
    let streams = try source.streams().filter(selection.includes)
    var gaps = Gaps.self == NoSink.self ? GapTable() : try GapTable(.rows, of: source)
    let form = SampleForm.row(hasBoardClock: streams.contains { $0.description.hasBoardTicks })
    return try SampleExport(form: form, maximumFixAge: maximumFixAge, selection: selection)
      .write(source, to: &sink, &gaps, to: &gapSink, pause: pause)
  }

  /// Writes the samples without the table of gaps.
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
  /// - Precondition: the selection includes exactly that stream.
  public func writeStream<Gaps: ByteSink & ~Copyable>(
    _ source: some SessionSource, to sink: inout some ByteSink & ~Copyable,
    _ gaps: inout GapRows<Gaps>, pause: (Int) throws -> Void = { _ in }
  ) throws -> ExportTotals {
    let streams = try source.streams().filter(selection.includes)
    precondition(streams.count == 1, "select exactly one stream")
    let form = SampleForm.wideRow(hasBoardClock: streams[0].description.hasBoardTicks)
    return try SampleExport(form: form, maximumFixAge: maximumFixAge, selection: selection)
      .write(source, to: &sink, &gaps.table, to: &gaps.sink, pause: pause)
  }
}

/// A table of gaps that several exports of one session write, one after the other.
public struct GapRows<Sink: ByteSink & ~Copyable>: ~Copyable {
  var table: GapTable
  var sink: Sink

  /// An empty table into a sink.
  public init(_ sink: consuming Sink, of source: some SessionSource) throws {
    table = try GapTable(.rows, of: source)
    self.sink = sink
  }

  /// Writes the remaining rows and returns the sink.
  public consuming func finish() throws -> Sink {
    try table.buffer.flush(to: &sink)
    return sink
  }
}
