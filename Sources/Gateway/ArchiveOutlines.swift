internal import Archive
internal import Recording

/// The outlines of the sessions that a folder receives now, so that what does not go together is
/// refused there as in a store.
///
/// A folder has no index. An outline knows the chunks that came since the folder was opened, and
/// those that the record in it lists. Earlier chunks of a session without a record are not known.
/// Its exports follow the record and pass over chunks that it does not list.
struct ArchiveOutlines {
  /// Sessions at a time, so that a sender of chunks of ever new ones cannot fill the memory.
  private static let capacity = 64

  private var outlines: [UniqueID: IncomingSession] = [:]
  /// In the order in which they were asked for last.
  private var order: [UniqueID] = []

  /// The outline of a session.
  mutating func outline(
    of session: UniqueID, in reader: ArchiveReader?
  ) throws(ArchiveError) -> IncomingSession {
    order.removeAll { $0 == session }
    order.append(session)
    if let outline = outlines[session] { return outline }
    var outline = IncomingSession(session)
    if let reader, let record = try reader.soundRecord(of: session) {
      outline.add(record) { reader.has($0) }
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
}
