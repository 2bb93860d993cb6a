internal import ChunkFormat
internal import Recording
internal import Values

/// The outlines of the sessions that a folder is receiving, so that conflicting items are refused
/// as by a store.
///
/// A folder has no index. An outline contains the chunks that the session's record lists, and the
/// chunks that no record lists yet. The latter are searched for once, when the folder is opened.
struct FolderOutlines {
  /// The most sessions at a time, so that chunks of ever new sessions cannot fill the memory.
  private static let capacity = 64

  private var outlines: [UniqueID: IncomingSession] = [:]
  /// Sessions in the order of their latest use.
  private var order: [UniqueID] = []
  /// Chunks that no record lists, by their session.
  private(set) var unlisted: [UniqueID: Set<UniqueID>] = [:]

  /// Outlines of an empty folder.
  init() {}

  /// Outlines of a folder's present content. It reads all records, by a function of the caller, all
  /// names, and the chunks that no record lists.
  init(
    _ reader: FolderReader, record: (UniqueID) throws(StoreError) -> SessionRecord?
  ) throws(StoreError) {
    var listed: Set<UniqueID> = []
    for session in try reader.sessionIDs() {
      for stream in try record(session)?.streams ?? [] {
        listed.formUnion(stream.chunks.lazy.map(\.id))
      }
    }
    for id in try reader.chunkIDs() where !listed.contains(id) {
      guard let chunk = try Self.chunk(id, in: reader) else { continue }
      unlisted[chunk.session, default: []].insert(id)
    }
  }

  /// The outline of a session.
  mutating func outline(
    of session: UniqueID, in reader: FolderReader?
  ) throws(StoreError) -> IncomingSession {
    order.removeAll { $0 == session }
    order.append(session)
    if let outline = outlines[session] { return outline }
    var outline = IncomingSession(session)
    if let reader {
      if let record = try reader.soundRecord(of: session) {
        outline.add(record) { reader.has($0) }
      }
      for id in unlisted[session] ?? [] {
        if let chunk = try Self.chunk(id, in: reader) { outline.add(chunk) }
      }
    }
    outlines[session] = outline
    if order.count > Self.capacity { outlines[order.removeFirst()] = nil }
    return outline
  }

  /// Stores changed outlines.
  mutating func keep(_ changed: [UniqueID: IncomingSession]) {
    for (session, outline) in changed where outlines[session] != nil {
      outlines[session] = outline
    }
  }

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

  /// A chunk of the folder; `nil` where it is missing or unreadable.
  private static func chunk(
    _ id: UniqueID, in reader: FolderReader
  ) throws(StoreError) -> ReceivedChunk? {
    guard let bytes = try reader.bytes(ofChunk: id),
      let chunk = try? Chunk(decoding: bytes.span), chunk.id == id
    else { return nil }
    return ReceivedChunk(bytes: [], chunk: chunk)
  }
}
