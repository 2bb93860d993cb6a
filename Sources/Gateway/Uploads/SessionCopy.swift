public import Export
public import Recording
internal import Storage
public import Upload
public import Values

/// A copy of a session in a store, where every command reads it. It is made piece by piece: first
/// the chunks, then the track, and the record at the end.
public struct SessionCopy {
  /// A part that could not be copied.
  public struct Missing: Hashable, Sendable {
    /// What it is a part of.
    public enum Part: Hashable, Sendable {
      /// A chunk of samples.
      case chunk(UniqueID)
      /// So many fixes of the track from this number on.
      case fixes(first: Int, count: Int)
    }

    /// The part.
    public let part: Part
    /// Why, in half a sentence.
    public let reason: String

    /// The fixes of it.
    public var fixCount: Int { if case .fixes(_, let count) = part { count } else { 0 } }
  }

  /// Chunks that share a transaction of the store.
  private static let together = 64
  /// Seconds by which the time of a chunk may be off.
  private static let margin = 1.0

  /// The chunks that are wanted, in order.
  public let needed: [UniqueID]
  /// What could not be copied.
  public private(set) var missing: [Missing] = []

  private let record: SessionRecord
  private let listed: [UniqueID: SessionRecord.ChunkEntry]
  private let intake: StoreIntake
  private var waiting: [ReceivedChunk] = []
  private var fixCount = 0

  /// Begins to copy a session with this record, or the part of it that a selection needs, into the
  /// store at a path, which is made if it is not there.
  public init(
    of record: SessionRecord, _ selection: ExportSelection, into path: String
  ) throws(StoreError) {
    self.record = record
    let entries = Self.needed(of: record, selection)
    needed = entries.map(\.id)
    listed = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
    intake = try StoreIntake(path: path)
  }

  /// Takes a chunk, or why it cannot be had.
  public mutating func take(
    _ id: UniqueID, _ finding: EndpointLibrary.Finding
  ) throws(StoreError) {
    switch finding {
    case .found(let chunk) where listed[id].map(chunk.isAsListed) ?? true: waiting.append(chunk)
    case .found: lacks(.chunk(id), "it is not the one that the record describes")
    case .missing(let reason): lacks(.chunk(id), reason)
    }
    if waiting.count == Self.together { try storeWaiting() }
  }

  /// Takes the piece of the track that begins with this fix, or why it cannot be had.
  public mutating func take(
    _ finding: EndpointLibrary.TrackFinding, from first: Int
  ) throws(StoreError) {
    try storeWaiting()
    let wanted = min(TrackPiece.capacity, record.fixCount - first)
    switch finding {
    case .found(var piece):
      let count = piece.fixes.count
      // The store numbers fixes without a break.
      piece.first = fixCount
      fixCount += count
      try Self.check(try intake.store(piece), "its track")
      if count < wanted {
        lacks(
          .fixes(first: first + count, count: wanted - count),
          "their piece of the track ends before them")
      }
    case .missing(let reason): lacks(.fixes(first: first, count: wanted), reason)
    }
  }

  private mutating func lacks(_ part: Missing.Part, _ reason: String) {
    missing.append(Missing(part: part, reason: reason))
  }

  /// Stores what is left and the record, and closes the store.
  public mutating func finish() throws(StoreError) {
    try storeWaiting()
    try Self.check(try intake.store(record), "its record")
    try intake.close()
  }

  private mutating func storeWaiting() throws(StoreError) {
    let chunks = waiting
    waiting = []
    for (chunk, verdict) in zip(chunks, try intake.store(chunks)) {
      switch verdict {
      case .stored, .held, .replaced: break
      case .otherContent:
        lacks(.chunk(chunk.id), "another chunk has its id")
      case .refused(let reason): lacks(.chunk(chunk.id), reason)
      }
    }
  }

  /// The chunks with samples of a selection. Times of samples may differ from those of their chunk
  /// by what a clock was fitted again, so that neighbours come along.
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
    // In the order of a sealed session's object, from which neighbours are read together.
    .sorted { $0.first < $1.first }
  }

  private static func check(_ verdict: IntakeVerdict, _ what: String) throws(StoreError) {
    guard case .refused(let reason) = verdict else { return }
    throw StoreError(
      .refused, "\(what) does not fit the session: \(reason)",
      remedy: "have the gateway send the session again")
  }
}

extension ReceivedChunk {
  /// Whether it is what a record says of it.
  fileprivate func isAsListed(_ entry: SessionRecord.ChunkEntry) -> Bool {
    id == entry.id && sequence == entry.sequence && sampleCount == entry.sampleCount
      && lostCount == entry.lostCount && first == entry.first
  }
}
