internal import Export
internal import Recording
internal import Storage

/// A session in a store as exports see it.
///
/// Chunks that are stored later are not seen, so that an export of a session which is being
/// recorded comes to an end.
struct StoredSession: ~Copyable, SessionSource {
  let session: Session
  private let reader: StoreReader
  private let stored: [StoredStream]
  /// The last chunk of each stream, which may have been set aside; `nil` for a stream without any.
  private let last: [UInt32?]

  /// The session with this id; `nil` if the store has none.
  static func find(_ id: UniqueID, in path: String) throws(StoreError) -> StoredSession? {
    let reader = try StoreReader(path: path)
    guard let session = try reader.sessions().first(where: { $0.id == id }) else { return nil }
    let stored = try reader.streams(of: id)
    var last: [UInt32?] = []
    for stream in stored { last.append(try reader.lastSequence(of: stream)) }
    return StoredSession(session: session, reader: reader, stored: stored, last: last)
  }

  private init(
    session: Session, reader: consuming StoreReader, stored: [StoredStream], last: [UInt32?]
  ) {
    self.session = session
    self.reader = reader
    self.stored = stored
    self.last = last
  }

  func streams() -> [SourceStream] {
    zip(stored, last).map { stream, last in
      SourceStream(
        board: stream.board, description: stream.description, sampleCount: stream.sampleCount,
        lastSequence: last)
    }
  }

  func chunk(ofStream position: Int, after sequence: UInt32?) throws -> SourceChunk? {
    guard let last = last[position], sequence.map({ $0 < last }) ?? true else { return nil }
    let next = try reader.chunks(of: stored[position], after: sequence, limit: 1).first
    guard let next, next.sequence <= last else { return nil }
    var bytes: [UInt8] = []
    do throws(StoreError) {
      bytes = try reader.bytes(ofChunk: next.id)
    } catch {
      // A page the disk gives back damaged costs its chunk: without bytes the export reports it as
      // damaged and goes on.
      guard error.kind == .damaged else { throw error }
    }
    return SourceChunk(
      sequence: next.sequence, sampleCount: next.sampleCount, bytes: bytes)
  }

  func sequence(ofStream position: Int, before time: BootTime) throws -> UInt32? {
    // A clock that was fitted anew may date a chunk a little before the end of the one before it.
    let found = try reader.sequence(
      of: stored[position], beginningBy: time.advanced(bySeconds: -1))
    return found.flatMap { $0 > 0 ? $0 - 1 : nil }
  }

  func fixes(from first: Int, limit: Int) throws -> [Fix] {
    try reader.fixes(of: session.id, from: first, limit: limit)
  }

  func clockEntries() throws -> [ClockTable.Entry] {
    try reader.clockEntries(of: session.id)
  }

  func placements() throws -> [BoardAddress: String] { try reader.placements(of: session.id) }

  func hazards() throws -> [Hazard] { try reader.hazards(of: session.id) }

  func annotations() throws -> [Annotation] { try reader.annotations(of: session.id) }

  func events() throws -> [SessionEvent] { try reader.events(of: session.id) }
}
