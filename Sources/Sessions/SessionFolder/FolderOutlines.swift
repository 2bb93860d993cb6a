internal import Recording
internal import Values

/// The outlines of the sessions that a folder is receiving. With these outlines, a folder refuses
/// the same conflicting items as a store.
///
/// A folder has no index. An outline contains the chunks that the session's record lists, and the
/// chunks that no record lists yet. The folder is searched for unlisted chunks when it is opened,
/// and after another program has changed it.
struct FolderOutlines {
  /// Maximum number of outlines in memory. Without a limit, chunks from an unbounded number of
  /// sessions could exhaust the memory.
  private static let capacity = 64

  /// Outlines, each with the stamp of the record from which it was created, since other programs
  /// store records too.
  private var outlines: [UniqueID: (session: IncomingSession, record: FileStamp?)] = [:]
  /// Sessions in the order in which they were last used.
  private var order: [UniqueID] = []
  /// Chunks that no record lists, by session.
  private(set) var unlisted: [UniqueID: Set<UniqueID>] = [:]

  /// Removes deleted chunks, and adds chunks that other programs stored. Reads only chunks that are
  /// neither known nor in `listed`, which contains the chunks that the records list.
  ///
  /// - Parameter held: the ids of all chunks in the folder.
  mutating func renew(
    _ held: Set<UniqueID>, listed: Set<UniqueID>, in reader: FolderReader
  ) throws(StoreError) {
    outlines = [:]
    order = []
    var sessions: [UniqueID: UniqueID] = [:]
    for (session, chunks) in unlisted { for id in chunks { sessions[id] = session } }
    var found: [UniqueID: Set<UniqueID>] = [:]
    for id in held where !listed.contains(id) {
      let known = sessions[id]
      let session = if let known { known } else { try reader.chunk(id)?.session }
      guard let session else { continue }
      found[session, default: []].insert(id)
    }
    unlisted = found
  }

  mutating func outline(
    of session: UniqueID, in reader: FolderReader?
  ) throws(StoreError) -> IncomingSession {
    order.removeAll { $0 == session }
    order.append(session)
    // The stamp is taken before the record is read, since the record may be replaced in the
    // meantime.
    let stamp = reader?.stamp(ofRecord: session)
    if let known = outlines[session], known.record == stamp { return known.session }
    var outline = IncomingSession(session)
    if let reader {
      var others = unlisted[session] ?? []
      if let record = try reader.soundRecord(of: session) {
        outline.add(record) { reader.has($0) }
        others.subtract(record.streams.lazy.flatMap(\.chunks).map(\.id))
      }
      for id in others {
        if let chunk = try reader.chunk(id) { outline.add(chunk) }
      }
    }
    outlines[session] = (outline, stamp)
    if order.count > Self.capacity { outlines[order.removeFirst()] = nil }
    return outline
  }

  /// Replaces outlines that are still in memory, and ignores the others.
  mutating func keep(_ changed: [UniqueID: IncomingSession]) {
    for (session, outline) in changed { outlines[session]?.session = outline }
  }

  /// Discards a session's outline. It is rebuilt from the folder when it is needed.
  mutating func forget(_ session: UniqueID) { outlines[session] = nil }

  /// Records that chunks have been stored, whether or not a record already lists them.
  mutating func note(_ chunks: some Sequence<ReceivedChunk>) {
    for chunk in chunks { unlisted[chunk.session, default: []].insert(chunk.id) }
  }

  /// Removes the chunks that a record lists from the unlisted chunks.
  mutating func note(_ record: SessionRecord) {
    for stream in record.streams {
      unlisted[record.session.id]?.subtract(stream.chunks.lazy.map(\.id))
    }
    if unlisted[record.session.id]?.isEmpty == true { unlisted[record.session.id] = nil }
  }
}
