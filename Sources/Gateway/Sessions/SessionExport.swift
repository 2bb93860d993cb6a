internal import LinuxSystem
internal import SessionFolder
internal import Storage
public import Export
public import Recording
public import Values

/// Exports one session from a store or from a folder of sessions.
public struct SessionExport: Sendable {
  private enum Place {
    case store(String)
    case folder(String)
  }

  private let place: Place
  private let session: UniqueID

  public var selection = ExportSelection()
  /// Maximum age, in seconds, of a fix that is used as a position.
  public var maximumFixAge = FixTrack.defaultMaximumAge
  /// Rows per second for formats with regular rows, or `nil` to use the format's default.
  public var rate: Double?
  /// Whether existing files are replaced. If not, an existing file causes an error before anything
  /// is written.
  public var replaces = false
  /// The whole session's streams, if the store contains only a partial copy.
  public var described: [SourceStream]?

  private var files: SessionFiles {
    var files = SessionFiles(selection: selection, maximumFixAge: maximumFixAge)
    files.replaces = replaces
    files.rate = rate
    return files
  }

  public init(store: String, session: UniqueID) {
    place = .store(store)
    self.session = session
  }

  /// Exports this session from a folder of received or uploaded chunks.
  public init(folder: String, session: UniqueID) {
    place = .folder(folder)
    self.session = session
  }

  /// Returns the selected streams, the session's clock and events, and whether an unknown number of
  /// samples is missing.
  public func content() throws -> (
    streams: [SourceStream], clock: ClockTable, events: [SessionEvent], hasUnknownLosses: Bool
  ) {
    let source = try open()
    return (
      try source.streams().filter(selection.includes), ClockTable(try source.clockEntries()),
      try source.events(), try source.hasUnknownLosses()
    )
  }

  /// Writes a file and the files that accompany it; see `SessionFiles.write`.
  public func writeFile(
    _ path: String, as format: ExportFormat, pause: (Int) throws -> Void = { _ in }
  ) throws -> SessionFiles.Outcome {
    try files.write(try open(), as: format, to: path, pause: pause)
  }

  /// Writes a folder with one table per stream; see `SessionFiles.writeFolder`.
  public func writeFolder(
    _ path: String, pause: (Int) throws -> Void = { _ in }
  ) throws -> SessionFiles.Outcome {
    try files.writeFolder(try open(), to: path, pause: pause)
  }

  /// Adds the session to a dataset; see `BidsStudy.add`.
  public func add(
    to study: BidsStudy, pause: (Int) throws -> Void = { _ in }
  ) throws -> BidsStudy.Outcome? {
    try study.add(try open(), selection: selection, replaces: replaces, pause: pause)
  }

  /// Writes to a sink. Returns the sample totals, if the format provides them.
  public func write(
    as format: ExportFormat, into sink: inout some ByteSink & ~Copyable,
    pause: (Int) throws -> Void = { _ in }
  ) throws -> ExportTotals? {
    try files.write(try open(), as: format, into: &sink, pause: pause)
  }

  /// Writes the track as GeoJSON. The file becomes visible only once it is complete.
  public func writeGeoJSON(to path: String) throws {
    let source = try open()
    var file = try OutputFile(path: path, replaces: replaces)
    try GeoJSONExport(selection: selection).write(source, to: &file)
    try file.commit()
  }

  /// Reads the whole session, and returns its quality and its hashes.
  ///
  /// - Parameter progress: called for each chunk with the numbers of samples read and stored; an
  ///   error that it throws ends the reading.
  public func certificate(
    progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> Certificate {
    let source = try find()
    let total = try source.streams().reduce(0) { $0 + $1.sampleCount }
    let record: SessionRecord?
    var destinations: [String]?
    switch place {
    case .store(let path):
      let reader = try StoreReader(path: path)
      record = try reader.record(of: session)
      if try !reader.expectsChunks(of: session) {
        destinations = try reader.destinations().compactMap(\.name)
      }
    case .folder: record = (source as? FolderSession)?.record
    }
    return try Certificate(
      source, record: record ?? SessionRecord(session: source.session),
      destinations: destinations
    ) { try progress($0, total) }
  }

  /// Reads each stream's content, without decoding the samples.
  public func streamContents(pause: () throws -> Void = {}) throws -> [StreamContent] {
    try StreamContent.all(of: find(), pause: pause)
  }

  /// Returns the description that an export of the whole session would write, without the files
  /// and the totals, and its table of fixes.
  public func description() throws -> (json: String, fixes: WrittenFile) {
    try SessionFiles().description(of: find())
  }

  private func open() throws -> any SessionSource {
    let source = try find()
    guard let described, described.count == (try source.streams().count) else { return source }
    return PartlyCopied(copy: source, described: described)
  }

  private func find() throws -> any SessionSource {
    switch place {
    case .store(let path):
      guard let source = try StoredSession.find(session, in: path) else {
        throw OutputRefusal(
          "there is no session \(session) in \(path)",
          remedy: "specify the store in which the session was recorded")
      }
      return source
    case .folder(let path):
      guard let source = try FolderSession(session, in: path) else {
        throw OutputRefusal(
          "there is no session \(session) in \(path)",
          remedy: "specify the folder to which the session was sent; its record arrives after its "
            + "chunks")
      }
      return source
    }
  }
}
