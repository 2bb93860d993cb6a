internal import ChunkFormat
internal import Recording

extension Store {
  /// Takes in what a recorder that was cut off left beside the store at `path`, unless somebody records
  /// into it: for whoever is going to read all there is.
  ///
  /// Where that cannot be done, as on a medium that cannot be written or is full, what was left stays
  /// where it is, and the store can be read without it.
  public static func takeInLeftovers(of path: String) {
    guard !StoreLock.isHeld(store: path) else { return }
    _ = try? takeInTail(of: path)
  }

  /// Takes in what a recorder before us left in its tail, and removes the tail. Once: what is in the
  /// database already is passed over, so a recovery that was cut off itself is simply done again.
  static func takeInTail(of path: String) throws(StoreError) -> TailRecovery? {
    guard !TailFiles.existing(store: path).isEmpty else { return nil }
    var store = try Store(path: path, takesInTail: false)
    // Asked again, since now nobody else can be writing one.
    let files = TailFiles.existing(store: path)
    var content = TailContent()
    for file in files { content.read(try TailFiles.read(file.path)) }
    var recovery = TailRecovery(damagedBytes: content.damagedBytes)
    if let session = content.outlines.first?.session {
      recovery = try store.take(content, of: session)
    }
    for file in files { TailFiles.remove(file.path) }
    try store.close()
    return recovery
  }

  private mutating func take(
    _ content: TailContent, of session: UniqueID
  ) throws(StoreError) -> TailRecovery {
    let reader = try StoreReader(path: database.path)
    try register(content.outlines, of: session, reader)
    let streams = try reader.streams(of: session)
    let stored = try reader.fixes(of: session)
    let newest = stored.last?.arrival
    let fixes = content.fixes.filter { fix in newest.map { fix.arrival > $0 } ?? true }
    let entries = Set(try reader.clockEntries(of: session))
    let (chunks, missing) = try content.chunks(fixes: stored + fixes) { chunk throws(StoreError) in
      let stream = streams.first {
        $0.board.address == chunk.board.address && $0.description.signal == chunk.stream.signal
      }
      guard let stream else { return false }
      return try !reader.has(chunk.sequence, of: stream)
    }
    resume(session, fixCount: stored.count)
    try commit(
      chunks: chunks, fixes: fixes, clock: content.entries.filter { !entries.contains($0) })
    return TailRecovery(
      samples: chunks.reduce(0) { $0 + $1.count }, chunks: chunks.count, fixes: fixes.count,
      missing: missing, damagedBytes: content.damagedBytes)
  }

  /// Session and streams are in the database before the first sample is written; should that have failed,
  /// the tail says enough of them.
  private mutating func register(
    _ outlines: [Chunk], of session: UniqueID, _ reader: borrowing StoreReader
  ) throws(StoreError) {
    if try !reader.sessions().contains(where: { $0.id == session }), let first = outlines.first {
      try begin(Session(id: session, bootID: first.bootID, start: first.clock.first))
    }
    for outline in outlines where outline.session == session {
      try addBoard(outline.board, session: session)
      try addStream(outline.stream, board: outline.board.address, session: session)
    }
  }
}
