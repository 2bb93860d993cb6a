internal import Recording
internal import Values

/// The outlines of the sessions that a folder is receiving, so that conflicting items are refused
/// as in a store.
///
/// A folder has no index. An outline contains the chunks that the session's record lists, and the
/// chunks that no record lists yet. The latter are searched for when the folder is opened, and
/// after another program changed it.
struct FolderOutlines {
  /// The most sessions in memory, so that chunks of ever new sessions cannot fill it.
  private static let capacity = 64

  /// Outlines with the stamps of their records: other programs store records too.
  private var outlines: [UniqueID: (session: IncomingSession, record: FileStamp?)] = [:]
  /// Sessions in the order of their latest use.
  private var order: [UniqueID] = []
  /// Chunks that no record lists, by their session.
  private(set) var unlisted: [UniqueID: Set<UniqueID>] = [:]

  /// Discards deleted chunks and notes chunks that other programs added. Reads only chunks that are
  /// neither known nor in `listed`, the chunks that the records list.
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

  mutating func outline(
    of session: UniqueID, in reader: FolderReader?
  ) throws(StoreError) -> IncomingSession {
    order.removeAll { $0 == session }
    order.append(session)
    // Taken before the record is read, which may be replaced in between.
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

  /// Discards the outline of a session, so that it is rebuilt from the folder when needed.
  mutating func forget(_ session: UniqueID) { outlines[session] = nil }

  /// Notes new chunks, which records may list.
  mutating func note(_ chunks: some Sequence<ReceivedChunk>) {
    for chunk in chunks { unlisted[chunk.session, default: []].insert(chunk.id) }
  }

  /// Notes the chunks that a record lists.
  mutating func note(_ record: SessionRecord) {
    for stream in record.streams {
      unlisted[record.session.id]?.subtract(stream.chunks.lazy.map(\.id))
    }
    if unlisted[record.session.id]?.isEmpty == true { unlisted[record.session.id] = nil }
  }
}
