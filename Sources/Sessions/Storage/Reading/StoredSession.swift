internal import ChunkFormat
public import Recording
public import Values

/// Reads a session in a store for exports: first the committed data, then the records in the tail.
///
/// Chunks stored after the export has started are ignored, so that the export of an open session
/// can finish.
public final class StoredSession: SessionSource {
  public let session: Session
  private let reader: StoreReader
  /// The streams of the session, and the records that exist only in the tail.
  private let rest: StoreTail.Rest

  public static func find(_ id: UniqueID, in path: String) throws(StoreError) -> StoredSession? {
    let tail = try StoreTail(store: path)
    let reader = try StoreReader(path: path)
    guard let session = try reader.session(id) else { return nil }
    let rest = try tail.rest(of: id, behind: reader)
    return StoredSession(session: session, reader: reader, rest: rest)
  }

  private init(session: Session, reader: consuming StoreReader, rest: StoreTail.Rest) {
    self.session = session
    self.reader = reader
    self.rest = rest
  }

  /// Returns the session's streams, with totals that include the samples in the tail.
  public func streams() -> [SourceStream] {
    rest.streams.indices.map { position in
      SourceStream(
        board: rest.streams[position].board, description: rest.streams[position].description,
        sampleCount: rest.chunks[position].reduce(rest.streams[position].sampleCount) {
          $0 + $1.count
        },
        lastSequence: rest.chunks[position].last?.sequence ?? rest.lastSequences[position])
    }
  }

  /// Returns the first chunk after `sequence`. A damaged chunk is returned without bytes.
  public func chunk(ofStream position: Int, after sequence: UInt32?) throws -> SourceChunk? {
    guard let last = rest.lastSequences[position], sequence.map({ $0 < last }) ?? true else {
      let next = rest.chunks[position].first { chunk in sequence.map { chunk.sequence > $0 } ?? true
      }
      return next.map {
        SourceChunk(
          sequence: $0.sequence, sampleCount: $0.count, lostCount: $0.lostCount,
          bytes: $0.encoded())
      }
    }
    let next = try reader.chunks(of: rest.streams[position], after: sequence, limit: 1).first
    guard let next, next.sequence <= last else {
      // The last chunks in the store have been set aside since the export started, so continue with
      // the chunks in the tail.
      return try chunk(ofStream: position, after: last)
    }
    var bytes: [UInt8] = []
    do throws(StoreError) {
      bytes = try reader.bytes(ofChunk: next.id)
    } catch {
      // A damaged page of the database affects only the chunk stored on it. Without bytes, the
      // export reports the chunk as damaged and continues.
      guard error.kind == .damaged else { throw error }
    }
    return SourceChunk(
      sequence: next.sequence, sampleCount: next.sampleCount, lostCount: next.lostCount,
      bytes: bytes)
  }

  /// Returns the number of samples in chunks that are known but missing from the store.
  public func missingSamples(
    ofStream position: Int, in places: ClosedRange<UInt32>
  ) throws -> UInt64? {
    try reader.goneSamples(of: rest.streams[position], in: places)
  }

  /// Returns the sequence number of a chunk that precedes all samples from `time` onwards.
  public func sequence(ofStream position: Int, before time: BootTime) throws -> UInt32? {
    // A refitted clock may date a chunk slightly before the end of the previous chunk.
    let found = try reader.sequence(
      of: rest.streams[position], beginningBy: time.advanced(bySeconds: -1))
    return found.flatMap { $0 > 0 ? $0 - 1 : nil }
  }

  /// Returns fixes in order of arrival.
  public func fixes(from first: Int, limit: Int) throws -> [Fix] {
    let stored =
      first < rest.storedFixes
      ? try reader.fixes(
        of: session.id, from: first, limit: min(limit, rest.storedFixes - first)) : []
    let behind = rest.fixes.dropFirst(max(0, first - rest.storedFixes))
    return stored + behind.prefix(limit - stored.count)
  }

  /// Returns the clock entries that date the session.
  public func clockEntries() throws -> [ClockTable.Entry] {
    rest.entries
  }

  public func placements() throws -> [BoardAddress: String] {
    try reader.placements(of: session.id)
  }

  public func hazards() throws -> [Hazard] { try reader.hazards(of: session.id) }

  public func annotations() throws -> [Annotation] { try reader.annotations(of: session.id) }

  public func events() throws -> [SessionEvent] {
    try reader.events(of: session.id) + rest.events
  }
}
