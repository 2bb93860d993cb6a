internal import ChunkFormat
internal import Recording
internal import Values

/// The outlines of the sessions that a folder receives now, so that what does not go together is
/// refused there as in a store.
///
/// A folder has no index. An outline knows the chunks that the session's record lists, and those
/// that no record lists so far. These are looked for once, when the folder is opened.
struct FolderOutlines {
  /// Sessions at a time, so that a sender of chunks of ever new ones cannot fill the memory.
  private static let capacity = 64

  private var outlines: [UniqueID: IncomingSession] = [:]
  /// In the order in which they were asked for last.
  private var order: [UniqueID] = []
  /// Chunks that no record lists, by their session.
  private(set) var unlisted: [UniqueID: Set<UniqueID>] = [:]

  /// Nothing.
  init() {}

  /// What is there already. It takes as long as there are records, names, and chunks that no record
  /// lists.
  init(_ reader: FolderReader) throws(StoreError) {
    var listed: Set<UniqueID> = []
    for session in try reader.sessionIDs() {
      for stream in try reader.soundRecord(of: session)?.streams ?? [] {
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

  /// Keeps what an outline has become.
  mutating func keep(_ changed: [UniqueID: IncomingSession]) {
    for (session, outline) in changed where outlines[session] != nil {
      outlines[session] = outline
    }
  }

  /// Notes chunks that are there now, of which records may know.
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

  /// A chunk of the folder; `nil` where it is gone, or is none.
  private static func chunk(
    _ id: UniqueID, in reader: FolderReader
  ) throws(StoreError) -> ReceivedChunk? {
    guard let bytes = try reader.bytes(ofChunk: id),
      let chunk = try? Chunk(decoding: bytes.span), chunk.id == id
    else { return nil }
    return ReceivedChunk(bytes: [], chunk: chunk)
  }
}
