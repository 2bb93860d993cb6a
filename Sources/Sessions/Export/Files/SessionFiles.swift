internal import LinuxSystem
public import Recording
internal import Values

/// Writes a session to a file, and the accompanying tables to files next to it.
public struct SessionFiles: Sendable {
  public struct Outcome: Hashable, Sendable {
    /// The numbers of exported and missing samples; `nil` if the format contains no samples.
    public var totals: ExportTotals?
    /// The files written, the requested file first.
    public var paths: [String]
    /// Whether the session has any positions. If it has none, the track is empty.
    public var hasPositions = true
  }

  /// The part of the session to write.
  public var selection: ExportSelection
  /// Maximum age in seconds of a fix that can provide a sample's position.
  public var maximumFixAge: Double
  /// Rows per second for formats with regular rows; `nil` for their default.
  public var rate: Double?
  /// Whether to replace existing files. If not, an existing file causes an error before anything is
  /// written.
  public var replaces = false

  /// Prepares to write this part of a session. By default, a fix provides positions for up to
  /// `FixTrack.defaultMaximumAge` seconds.
  public init(
    selection: ExportSelection = ExportSelection(),
    maximumFixAge: Double = FixTrack.defaultMaximumAge
  ) {
    self.selection = selection
    self.maximumFixAge = maximumFixAge
  }

  /// Writes `NAME.csv` (or another format), and `NAME.session.json` next to it. If the file
  /// contains samples, also writes `NAME.gaps.csv`, `NAME.events.csv`, `NAME.hazards.csv` and
  /// `NAME.fixes.csv`.
  ///
  /// Each file appears when it is complete, and the main file appears last: an interrupted export
  /// leaves no file under the requested name. Nothing is written next to a device or a pipe.
  ///
  /// - Parameter pause: called periodically with the number of samples written so far; an error
  ///   that it throws ends the export.
  public func write(
    _ source: some SessionSource, as format: ExportFormat, to path: String,
    pause: (Int) throws -> Void = { _ in }
  ) throws -> Outcome {
    var file = try OutputFile(path: path, replaces: replaces)
    let hasPositions = try !source.fixes(from: 0, limit: 1).isEmpty
    guard file.isWholeAtOnce else {
      let totals = try write(source, as: format, into: &file, pause: pause)
      try file.commit()
      return Outcome(totals: totals, paths: [path], hasPositions: hasPositions)
    }
    let beside = try FilesBeside(
      path, Self.names(besides: format),
      describedBy: SessionDescription(source, selection: selection).json, replaces: replaces)
    let totals: ExportTotals?
    if format.hasSamples {
      var gaps = try beside.file(Self.gapsName)
      totals = try write(source, as: format, to: &file, gaps: &gaps, pause: pause)
      try gaps.commit()
      try writeTables(source) { name throws(OutputRefusal) in try beside.file(name) }
    } else {
      totals = try write(source, as: format, into: &file, pause: pause)
    }
    try writeDescription(
      source, totals, otherwise: beside.exported, to: try beside.file(Self.descriptionName))
    try file.commit()
    return Outcome(
      totals: totals, paths: [path] + beside.paths, hasPositions: hasPositions)
  }

  /// Writes a folder with a table for each stream, and `session.json`, `gaps.csv`, `events.csv`,
  /// `hazards.csv` and `fixes.csv`. The folder appears when all its files are complete.
  public func writeFolder(
    _ source: some SessionSource, to path: String,
    pause: (Int) throws -> Void = { _ in }
  ) throws -> Outcome {
    var folder = try AtomicFolder(path: path, replaces: replaces)
    let streams = try source.streams()
    let names = StreamFileNames(streams).names
    var gaps = try GapRows(try folder.file("gaps.csv"), of: source)
    var totals = ExportTotals(
      streams: [], hasUnknownLosses: try source.hasUnknownLosses())
    var paths: [String] = []
    for (position, stream) in streams.enumerated() where selection.includes(stream) {
      var one = selection
      one.boards = [stream.board.address]
      one.signals = [stream.description.signal]
      var file = try folder.file(names[position])
      let rows = totals.rows
      let written = try CSVExport(selection: one, maximumFixAge: maximumFixAge).writeStream(
        source, to: &file, &gaps
      ) {
        try pause(rows + $0)
      }
      try file.commit()
      totals = ExportTotals(
        streams: totals.streams + written.streams, hasUnknownLosses: totals.hasUnknownLosses)
      paths.append(names[position])
    }
    try gaps.finish().commit()
    try writeTables(source) { name throws(OutputRefusal) in try folder.file(name) }
    try writeDescription(source, totals, to: try folder.file(Self.descriptionName))
    paths += [Self.descriptionName, Self.gapsName] + Self.tableNames
    let place = folder.path
    try folder.commit()
    return Outcome(totals: totals, paths: paths.map { "\(place)/\($0)" })
  }

  /// Writes only the main file. Returns the totals of its samples; `nil` if the format contains no
  /// samples.
  @discardableResult
  public func write(
    _ source: some SessionSource, as format: ExportFormat,
    into sink: inout some ByteSink & ~Copyable, pause: (Int) throws -> Void = { _ in }
  ) throws -> ExportTotals? {
    var nowhere = NoSink()
    switch format {
    case .csv, .jsonl, .json, .table, .sto:
      return try write(source, as: format, to: &sink, gaps: &nowhere, pause: pause)
    case .geojson:
      try GeoJSONExport(selection: selection).write(source, to: &sink) { try pause(0) }
    case .gpx:
      try GPXExport(selection: selection, longestPause: maximumFixAge).write(source, to: &sink) {
        try pause(0)
      }
    case .bids: preconditionFailure("a folder is not a series of bytes")
    }
    return nil
  }

  private func write<Gaps: ByteSink & ~Copyable>(
    _ source: some SessionSource, as format: ExportFormat,
    to sink: inout some ByteSink & ~Copyable, gaps: inout Gaps, pause: (Int) throws -> Void
  ) throws -> ExportTotals {
    switch format {
    case .jsonl:
      try JSONExport(selection: selection, maximumFixAge: maximumFixAge).writeLines(
        source, to: &sink, gaps: &gaps, pause: pause)
    case .json:
      try JSONExport(selection: selection, maximumFixAge: maximumFixAge).writeDocument(
        source, to: &sink, gaps: &gaps, pause: pause)
    case .csv:
      try CSVExport(selection: selection, maximumFixAge: maximumFixAge).write(
        source, to: &sink, gaps: &gaps, pause: pause)
    case .table:
      try TableExport(selection: selection, maximumFixAge: maximumFixAge, rate: rate).write(
        source, to: &sink, gaps: &gaps, pause: pause)
    case .sto:
      try OpenSenseExport(selection: selection, rate: rate).write(
        source, to: &sink, gaps: &gaps, pause: pause)
    case .geojson, .gpx: preconditionFailure("a track has no samples")
    case .bids: preconditionFailure("a folder is not a series of bytes")
    }
  }

  static let descriptionName = "session.json"
  private static let gapsName = "gaps.csv"
  private static let tableNames = ["events.csv", "hazards.csv", "fixes.csv"]

  private func writeTables(
    _ source: some SessionSource,
    _ begin: (String) throws(OutputRefusal) -> OutputFile
  ) throws {
    let tables = SideTables(selection: selection)
    for name in Self.tableNames {
      var file = try begin(name)
      switch name {
      case "events.csv": try tables.writeEvents(source, to: &file)
      case "hazards.csv": try tables.writeHazards(source, to: &file)
      default: try tables.writeFixes(source, to: &file)
      }
      try file.commit()
    }
  }

  private func writeDescription(
    _ source: some SessionSource, _ totals: ExportTotals?, otherwise exported: String? = nil,
    to file: consuming OutputFile
  ) throws {
    try SideTables(selection: selection).writeDescription(
      source, exported: totals?.json.text ?? exported, to: &file)
    try file.commit()
  }

  /// Returns the paths of the files that an export to the regular file `path` writes.
  public static func paths(at path: String, as format: ExportFormat) -> [String] {
    [path] + FilesBeside.paths(path, names(besides: format))
  }

  private static func names(besides format: ExportFormat) -> [String] {
    format.hasSamples ? [descriptionName, gapsName] + tableNames : [descriptionName]
  }
}
