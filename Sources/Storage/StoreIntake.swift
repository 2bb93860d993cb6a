internal import ChunkFormat
public import Recording

/// A chunk that somebody sent: its bytes, and what they were found to be.
public struct ReceivedChunk: Sendable {
  /// Its bytes, which are kept as they are.
  public var bytes: [UInt8]
  /// The chunk they decode to.
  public var chunk: Chunk

  /// A chunk with its bytes.
  public init(bytes: [UInt8], chunk: Chunk) {
    self.bytes = bytes
    self.chunk = chunk
  }
}

/// What became of something that was received.
public enum IntakeVerdict: Hashable, Sendable {
  /// It is on the disk now.
  case stored
  /// It was on the disk before, with the same content.
  case held
  /// Something else is on the disk in its place and stays there; what, in a few words.
  case conflict(String)
}

/// A store into which goes what other gateways recorded. It holds the recorder's lock, so that there is one
/// at a time; one thread uses it.
///
/// Chunks, fixes and record of a session may come in any order, and those of many sessions mixed. Each call
/// is one transaction, on the disk when it returns. A session that came whole is exported byte for byte as
/// where it was recorded.
public struct StoreIntake: ~Copyable {
  /// What the store has, each time it is asked.
  public let reader: StoreReader
  let database: Database
  private let lock: StoreLock

  /// Opens the store at `path`; it is made if there is none. The folder must exist.
  ///
  /// Throws `.locked` while a recorder or another receiver has it, and as `Store` does for a file that
  /// is damaged, of a later version, or no store.
  public init(path: String) throws(StoreError) {
    if !StoreLock.isHeld(store: path), StoreReader.exists(at: path) {
      _ = try Store.takeInTail(of: path)
    }
    let lock = try StoreLock(store: path, doing: "receive into")
    let database = try Database.open(path: path, mode: .recording)
    let version = try database.checkSchema(mayBeNew: true)
    if version == 0 {
      try database.choosePageSize()
    } else if lock.wasLeftBehind {
      try database.checkStructure()
    }
    try database.prepareForWriting()
    try database.migrate(from: version)
    if version > 0, lock.wasLeftBehind { _ = try database.checkAfterCut() }
    reader = try StoreReader(path: path)
    self.database = database
    self.lock = lock
  }

  /// Stores chunks, with all that is needed of their sessions, boards and streams: a verdict on each, in
  /// order. When it throws, none of them is stored.
  public func take(_ chunks: [ReceivedChunk]) throws(StoreError) -> [IntakeVerdict] {
    guard !chunks.isEmpty else { return [] }
    var verdicts: [IntakeVerdict] = []
    try database.transaction(doing: "receive into") { () throws(StoreError) in
      verdicts = try database.take(chunks)
    }
    return verdicts
  }

  /// Stores fixes of a session's track from number `first` on, in place of those that were there.
  public func take(
    _ fixes: [Fix], from first: Int, of session: UniqueID
  ) throws(StoreError) -> IntakeVerdict {
    if try reader.fixes(of: session, from: first, limit: fixes.count) == fixes,
      try database.isReceived(session) != nil
    {
      return .held
    }
    if try database.isReceived(session) == false { return .conflict(Self.isOwn(session)) }
    try database.transaction(doing: "receive into") { () throws(StoreError) in
      _ = try database.expect(
        session, boot: nil, start: fixes.first?.arrival ?? BootTime(nanoseconds: 0))
      var delete = try database.prepare(
        "DELETE FROM fix WHERE session = ? AND number >= ? AND number < ?", doing: "receive into")
      try delete.bind(session.bytes)
      try delete.bind(Int64(first))
      try delete.bind(Int64(first + fixes.count))
      try delete.run()
      try database.insert(fixes, from: Int64(first), session: session)
    }
    return .stored
  }

  /// Stores what is told of a session, in place of what was told of it before.
  public func take(_ record: SessionRecord) throws(StoreError) -> IntakeVerdict {
    let session = record.session
    if let known = try reader.record(of: session.id) {
      if known == record { return .held }
      if try database.isReceived(session.id) == false {
        return .conflict(Self.isOwn(session.id))
      }
    }
    var conflict: String?
    try database.transaction(doing: "receive into") { () throws(StoreError) in
      conflict = try database.conflict(with: record)
      if conflict == nil { try database.replace(by: record) }
    }
    return conflict.map { .conflict($0) } ?? .stored
  }

  /// Writes everything into the one file and lets go of it.
  public consuming func close() throws(StoreError) {
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)", doing: "close")
  }

  private static func isOwn(_ session: UniqueID) -> String {
    "session \(session) was recorded into this store itself"
  }
}
