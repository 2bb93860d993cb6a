public import Export
public import Recording
internal import Storage
public import Upload
public import Values

/// Copies a session from an endpoint into a store, where every command reads it.
public struct EndpointCopy {
  /// A chunk that could not be copied.
  public struct Missing: Hashable, Sendable {
    /// The chunk.
    public let id: UniqueID
    /// Why, in half a sentence.
    public let reason: String
  }

  /// Chunks that share a transaction of the store.
  private static let together = 64

  private let intake: StoreIntake

  /// Copies into the store at this path, which is made if it is not there.
  public init(into path: String) throws(StoreError) {
    intake = try StoreIntake(path: path)
  }

  /// Copies a session with this record, or the part of it that a selection needs. Returns what
  /// could not be copied.
  ///
  /// - Parameter progress: called with the chunks that are done, and all that are wanted.
  public func copy(
    _ record: SessionRecord, _ entry: EndpointLibrary.Entry, from library: EndpointLibrary,
    _ selection: ExportSelection, progress: (Int, Int) throws -> Void
  ) async throws -> [Missing] {
    let needed = Self.needed(of: record, selection)
    let ids = needed.map(\.id)
    let listed = Dictionary(needed.map { ($0.id, $0) }) { first, _ in first }
    var missing: [Missing] = []
    var waiting: [ReceivedChunk] = []
    var done = 0
    try await library.chunks(ids, of: entry) { id, finding in
      done += 1
      switch finding {
      case .found(let chunk) where listed[id].map(chunk.isAsListed) ?? true: waiting.append(chunk)
      case .found:
        missing.append(Missing(id: id, reason: "it is not the one that the record describes"))
      case .missing(let reason): missing.append(Missing(id: id, reason: reason))
      }
      if waiting.count == Self.together { missing += try store(&waiting) }
      try progress(done, ids.count)
    }
    missing += try store(&waiting)
    try await library.track(of: record, entry) { piece in
      try Self.check(try intake.store(piece), "its track")
    }
    try Self.check(try intake.store(record), "its record")
    try intake.close()
    return missing
  }

  /// The chunks with samples of a selection. Times of samples may differ from those of their chunk
  /// by what a clock was fitted again, so that neighbours come along.
  static func needed(
    of record: SessionRecord, _ selection: ExportSelection
  ) -> [SessionRecord.ChunkEntry] {
    record.sourceStreams.enumerated().flatMap { position, stream in
      let chunks = selection.includes(stream) ? record.streams[position].chunks : []
      let first = selection.from.flatMap { from in
        chunks.lastIndex { $0.first <= from.advanced(bySeconds: -Self.margin) }
      }
      let beyond = selection.to.flatMap { to in
        chunks.firstIndex { $0.first >= to.advanced(bySeconds: Self.margin) }
      }
      return chunks[(first ?? 0)..<max(first ?? 0, beyond.map { $0 + 1 } ?? chunks.count)]
    }
  }

  /// Seconds by which the time of a chunk may be off.
  private static let margin = 1.0

  private func store(_ chunks: inout [ReceivedChunk]) throws(StoreError) -> [Missing] {
    defer { chunks = [] }
    return zip(chunks, try intake.store(chunks)).compactMap { chunk, verdict in
      switch verdict {
      case .stored, .held, .replaced: nil
      case .otherContent: Missing(id: chunk.id, reason: "another chunk has its id")
      case .refused(let reason): Missing(id: chunk.id, reason: reason)
      }
    }
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
