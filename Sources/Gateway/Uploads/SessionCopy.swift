public import Export
public import Recording
internal import Storage
public import Upload
public import Values

/// Copies a session into a store, where every command can read it. First copies the chunks, then
/// the track, and finally the record.
public struct SessionCopy {
  /// The parts of a session that could not be copied.
  public struct Missing: Sendable {
    /// The missing chunks, each with a reason that is worded as a clause.
    public fileprivate(set) var chunks: [(id: UniqueID, reason: String)] = []
    /// The track's fixes that could not be copied.
    public fileprivate(set) var fixes: [MissingFixes] = []

    public var fixCount: Int { fixes.reduce(0) { $0 + $1.count } }

    /// Whether everything was copied.
    public var isEmpty: Bool { chunks.isEmpty && fixes.isEmpty }
  }

  /// Number of chunks stored in one transaction.
  private static let together = 64
  /// Maximum error of a chunk's time, in seconds.
  private static let margin = 1.0

  /// The chunks to copy, in order.
  public let needed: [UniqueID]
  public private(set) var missing = Missing()

  private let record: SessionRecord
  private let listed: IncomingSession
  private let intake: StoreIntake
  private var waiting: [ReceivedChunk] = []
  private var track: TrackReading
  private var fixCount = 0

  /// Starts copying the session that this record describes, or only the part needed for a
  /// selection, into the store at a path. Creates the store if it is missing.
  public init(
    of record: SessionRecord, _ selection: ExportSelection, into path: String
  ) throws(StoreError) {
    self.record = record
    needed = Self.needed(of: record, selection).map(\.id)
    track = TrackReading(of: record)
    var listed = IncomingSession(record.session.id)
    listed.add(record) { _ in false }
    self.listed = listed
    intake = try StoreIntake(path: path)
  }

  /// Adds a chunk, or the reason why it is unavailable.
  public mutating func take(
    _ id: UniqueID, _ finding: EndpointLibrary.Finding
  ) throws(StoreError) {
    switch finding {
    case .found(let chunk) where isListed(chunk): waiting.append(chunk)
    case .found: lacks(id, "it does not match the record")
    case .missing(let reason): lacks(id, reason)
    }
    if waiting.count == Self.together { try storeWaiting() }
  }

  /// The number of the first fix in the next track piece, or `nil` at the end of the track.
  public var nextFix: Int? { track.next(1).first }

  /// Adds the next piece of the track, or the reason why it is unavailable.
  public mutating func take(_ finding: TrackFinding) throws(StoreError) {
    try storeWaiting()
    let fixes = track.take(finding)
    missing.fixes = track.missing
    guard !fixes.isEmpty else { return }
    // The store numbers fixes consecutively.
    let piece = TrackPiece(session: record.session.id, first: fixCount, fixes: fixes)
    fixCount += fixes.count
    try Self.check(try intake.store(piece), "the track")
  }

  private mutating func lacks(_ chunk: UniqueID, _ reason: String) {
    missing.chunks.append((id: chunk, reason: reason))
  }

  /// Stores the remaining data and the record, and closes the store.
  public mutating func finish() throws(StoreError) {
    try storeWaiting()
    try Self.check(try intake.store(record), "the record")
    try intake.close()
  }

  private mutating func storeWaiting() throws(StoreError) {
    let chunks = waiting
    waiting = []
    for (chunk, verdict) in zip(chunks, try intake.store(chunks)) {
      switch verdict {
      case .stored, .held, .replaced: break
      case .otherContent:
        lacks(chunk.id, "another chunk has its id")
      case .refused(let reason), .unfit(let reason): lacks(chunk.id, reason)
      }
    }
  }

  /// Returns the chunks that contain samples of a selection. A refitted clock may move samples
  /// outside their chunk's times, so neighbouring chunks are included.
  private static func needed(
    of record: SessionRecord, _ selection: ExportSelection
  ) -> [SessionRecord.ChunkEntry] {
    record.sourceStreams.enumerated().flatMap { position, stream in
      let chunks = selection.includes(stream) ? record.streams[position].chunks : []
      let first = selection.from.flatMap { from in
        chunks.lastIndex { $0.first <= from.advanced(bySeconds: -margin) }
      }
      let beyond = selection.to.flatMap { to in
        chunks.firstIndex { $0.first >= to.advanced(bySeconds: margin) }
      }
      return chunks[(first ?? 0)..<max(first ?? 0, beyond.map { $0 + 1 } ?? chunks.count)]
    }
    // A sealed session's object contains the chunks in this order, so neighbouring chunks can be
    // read together.
    .sorted { $0.first < $1.first }
  }

  private static func check(_ verdict: IntakeVerdict, _ what: String) throws(StoreError) {
    let reason: String
    switch verdict {
    case .refused(let why), .unfit(let why): reason = why
    case .stored, .held, .replaced, .otherContent: return
    }
    throw StoreError(
      .refused, "\(what) does not match the session: \(reason)",
      remedy: "send the session again from the gateway: footbridge upload --again SESSION")
  }

  /// Returns whether a chunk matches the record.
  private func isListed(_ chunk: ReceivedChunk) -> Bool {
    chunk.session == record.session.id && listed.conflict(with: chunk) == nil
  }
}
