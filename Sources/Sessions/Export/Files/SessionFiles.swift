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

  public var selection: ExportSelection
  /// Maximum age in seconds of a fix that can provide a sample's position.
  public var maximumFixAge: Double
  /// Rows per second for formats with regular rows; `nil` for the format's default.
  public var rate: Double?
  /// Whether to replace existing files. If not, an existing file causes an error before anything is
  /// written, unless it accompanies the same part of the session.
  public var replaces = false

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
    var evidence = ExportEvidence()
    if format.hasSamples {
      var gaps = try beside.file(Self.gapsName)
      totals = try write(source, as: format, to: &file, gaps: &gaps, pause: pause)
      evidence.add(file)
      evidence.add(gaps)
      // No file may remain if `pause` ends the export here.
      evidence.content = try content(of: source) { try pause(totals?.rows ?? 0) }
      try gaps.commit()
      try writeTables(source, &evidence) { name throws(OutputRefusal) in try beside.file(name) }
    } else {
      totals = try write(source, as: format, into: &file, pause: pause)
      evidence.add(file)
    }
    evidence.keep(beside.former)
    try writeDescription(
      source, totals, otherwise: beside.exported, evidence,
      to: try beside.file(Self.descriptionName))
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
    let folder = try AtomicFolder(path: path, replaces: replaces)
    let streams = try source.streams()
    let names = StreamFileNames(streams).names
    var gaps = try GapRows(try folder.file("gaps.csv"), of: source)
    var totals = ExportTotals(
      streams: [], hasUnknownLosses: try source.hasUnknownLosses())
    var paths: [String] = []
    var evidence = ExportEvidence()
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
      evidence.add(file)
      try file.commit()
      totals = ExportTotals(
        streams: totals.streams + written.streams, hasUnknownLosses: totals.hasUnknownLosses)
      paths.append(names[position])
    }
    let gapsFile = try gaps.finish()
    evidence.add(gapsFile)
    try gapsFile.commit()
    try writeTables(source, &evidence) { name throws(OutputRefusal) in try folder.file(name) }
    evidence.content = try content(of: source) { try pause(totals.rows) }
    try writeDescription(source, totals, evidence, to: try folder.file(Self.descriptionName))
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
    return try write(source, as: format, to: &sink, gaps: &nowhere, pause: pause)
  }

  private func write<Gaps: ByteSink & ~Copyable>(
    _ source: some SessionSource, as format: ExportFormat,
    to sink: inout some ByteSink & ~Copyable, gaps: inout Gaps, pause: (Int) throws -> Void
  ) throws -> ExportTotals? {
    switch format {
    case .jsonl:
      return try JSONExport(selection: selection, maximumFixAge: maximumFixAge).writeLines(
        source, to: &sink, gaps: &gaps, pause: pause)
    case .json:
      return try JSONExport(selection: selection, maximumFixAge: maximumFixAge).writeDocument(
        source, to: &sink, gaps: &gaps, pause: pause)
    case .csv:
      return try CSVExport(selection: selection, maximumFixAge: maximumFixAge).write(
        source, to: &sink, gaps: &gaps, pause: pause)
    case .table:
      return try TableExport(selection: selection, maximumFixAge: maximumFixAge, rate: rate).write(
        source, to: &sink, gaps: &gaps, pause: pause)
    case .sto:
      return try OpenSenseExport(selection: selection, rate: rate).write(
        source, to: &sink, gaps: &gaps, pause: pause)
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

  public static let descriptionName = "session.json"
  private static let gapsName = "gaps.csv"
  public static let fixesName = "fixes.csv"
  private static let tableNames = ["events.csv", "hazards.csv", fixesName]

  private func writeTables(
    _ source: some SessionSource, _ evidence: inout ExportEvidence,
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
      evidence.add(file)
      try file.commit()
    }
  }

  /// Returns the content of each exported stream; `nil` if only a part of the time is exported.
  /// Hashing whole chunks would then take longer than the export.
  private func content(
    of source: some SessionSource, pause: () throws -> Void
  ) throws -> [StreamContent]? {
    guard selection.isUnbounded else { return nil }
    return try StreamContent.all(of: source, selection: selection, pause: pause)
  }

  /// Returns the description that an export would write, without files and totals, and the hash of
  /// its table of fixes.
  public func description(
    of source: some SessionSource
  ) throws -> (json: String, fixes: WrittenFile) {
    var sink = HashSink()
    try SideTables(selection: selection).writeFixes(source, to: &sink)
    let json = try SessionDescription(source, selection: selection).json.text
    return (json, sink.written(as: Self.fixesName))
  }

  private func writeDescription(
    _ source: some SessionSource, _ totals: ExportTotals?, otherwise exported: String? = nil,
    _ evidence: ExportEvidence, to file: consuming OutputFile
  ) throws {
    try SideTables(selection: selection).writeDescription(
      source, exported: totals?.json.text ?? exported, evidence: evidence.text, to: &file)
    try file.commit()
  }

  /// Returns the paths of the files that an export to the regular file `path` writes.
  public static func paths(at path: String, as format: ExportFormat) -> [String] {
    [path] + FilesBeside.paths(path, names(besides: format))
  }

  /// Returns the possible paths of an exported file's description, the likeliest first:
  /// `walk.session.json` for `walk.csv` and for `walk.gaps.csv`, and `session.json` in a folder of
  /// tables.
  public static func descriptionPaths(for path: String) -> [String] {
    var stems = [path]
    while let last = stems.last, FilesBeside.stem(of: last) != last {
      stems.append(FilesBeside.stem(of: last))
    }
    return (stems.count > 1 ? stems.dropFirst() : stems[...]).map { "\($0).\(descriptionName)" }
      + [Folder.containing(path) + descriptionName]
  }

  private static func names(besides format: ExportFormat) -> [String] {
    format.hasSamples ? [descriptionName, gapsName] + tableNames : [descriptionName]
  }
}
