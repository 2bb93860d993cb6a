internal import Export
internal import Recording
internal import Storage

/// A session in a store as exports see it.
struct StoredSession: ~Copyable, SessionSource {
  let session: Session
  private let reader: StoreReader
  private let stored: [StoredStream]

  /// The session with this id; `nil` if the store has none.
  static func find(_ id: UniqueID, in path: String) throws(StoreError) -> StoredSession? {
    let reader = try StoreReader(path: path)
    guard let session = try reader.sessions().first(where: { $0.id == id }) else { return nil }
    let stored = try reader.streams(of: id)
    return StoredSession(session: session, reader: reader, stored: stored)
  }

  private init(session: Session, reader: consuming StoreReader, stored: [StoredStream]) {
    self.session = session
    self.reader = reader
    self.stored = stored
  }

  func streams() -> [SourceStream] {
    stored.map {
      SourceStream(board: $0.board, description: $0.description, sampleCount: $0.sampleCount)
    }
  }

  func chunk(ofStream position: Int, after sequence: UInt32?) throws -> SourceChunk? {
    let next = try reader.chunks(of: stored[position], after: sequence, limit: 1).first
    guard let next else { return nil }
    do throws(StoreError) {
      return SourceChunk(sequence: next.sequence, bytes: try reader.bytes(ofChunk: next.id))
    } catch {
      // A page the disk gives back damaged costs its chunk: without bytes the export reports it as
      // damaged and goes on.
      guard error.kind == .damaged else { throw error }
      return SourceChunk(sequence: next.sequence, bytes: [])
    }
  }

  func fixes(from first: Int, limit: Int) throws -> [Fix] {
    try reader.fixes(of: session.id, from: first, limit: limit)
  }

  func clockEntries() throws -> [ClockTable.Entry] {
    try reader.clockEntries(of: session.id)
  }
}
