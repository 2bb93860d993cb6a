internal import Recording
internal import Values

/// The outlines of the sessions that a folder is receiving, so that conflicting items are refused
/// as by a store.
///
/// A folder has no index. An outline contains the chunks that the session's record lists, and the
/// chunks that no record lists yet. The latter are searched for when the folder is opened, and when
/// another program changed it.
struct FolderOutlines {
  /// The most sessions at a time, so that chunks of ever new sessions cannot fill the memory.
  private static let capacity = 64

  /// Each with its record's stamp: other programs store records too.
  private var outlines: [UniqueID: (session: IncomingSession, record: FileStamp?)] = [:]
  /// Sessions in the order of their latest use.
  private var order: [UniqueID] = []
  /// Chunks that no record lists, by their session.
  private(set) var unlisted: [UniqueID: Set<UniqueID>] = [:]

  /// Forgets what is gone from the folder, and notes what other programs put there. Reads those
  /// chunks that are neither known nor in `listed`, which is what the records list.
  ///
  /// - Parameter held: the chunks in the folder.
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

  /// The outline of a session.
  mutating func outline(
    of session: UniqueID, in reader: FolderReader?
  ) throws(StoreError) -> IncomingSession {
    order.removeAll { $0 == session }
    order.append(session)
    // Before the record is read, which may be replaced in between.
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

  /// Stores changed outlines.
  mutating func keep(_ changed: [UniqueID: IncomingSession]) {
    for (session, outline) in changed { outlines[session]?.session = outline }
  }

  /// Forgets the outline of a session, so that it is made from the folder when it is needed.
  mutating func forget(_ session: UniqueID) { outlines[session] = nil }

  /// Notes new chunks, which records may list.
  mutating func note(_ chunks: some Sequence<ReceivedChunk>) {
    for chunk in chunks { unlisted[chunk.session, default: []].insert(chunk.id) }
  }

  /// Notes which chunks a record lists.
  mutating func note(_ record: SessionRecord) {
    for stream in record.streams {
      unlisted[record.session.id]?.subtract(stream.chunks.lazy.map(\.id))
    }
    if unlisted[record.session.id]?.isEmpty == true { unlisted[record.session.id] = nil }
  }
}
