internal import Values

/// Sessions whose record waits to be sent, and the time at which to ask the store for them.
struct WaitingRecords {
  typealias Item = UploadQueue.SessionItem

  private var items: [Item] = []
  /// Progress in reading the store's list.
  private(set) var list = ReadProgress.due
  /// Whether to read the list before the next chunk of a session at which the destination has
  /// failed: such chunks may put the destination to rest.
  private var goesFirst = true
  /// Whether a chunk at which the destination has failed goes before the next record.
  private var yields = false
  /// The session of the chunks sent last.
  private var lastSession: UniqueID?
  /// Writes of verdicts left until the list is read, since the next session has begun.
  private var writesUntilRead: Int?

  var isEmpty: Bool { items.isEmpty }

  /// Whether sessions may have become complete since the list was read.
  var isDue: Bool { list == .due || list == .outdated }

  /// Notes that sessions may have become complete.
  mutating func expire() { list.expire() }

  /// Lets postponed records be sent again: the list is read before anything else.
  mutating func release() {
    expire()
    goesFirst = true
  }

  /// Begins to read the list if it is due and the time has come; returns whether to ask the store.
  ///
  /// - Parameter isQuiet: whether no chunk is under way or waits before the records.
  mutating func beginReading(isQuiet: Bool) -> Bool {
    guard list == .due, items.isEmpty, isQuiet || writesUntilRead == 0 else { return false }
    writesUntilRead = nil
    // While chunks are under way, the list is read again after them.
    list = isQuiet ? .reading : .outdated
    if isQuiet { goesFirst = false }
    return true
  }

  /// Notes that the store does not answer.
  mutating func abandonReading() { list.finish(isAll: false) }

  /// Replaces the records by the store's answer.
  mutating func replace(by found: [Item]) {
    items = found
    list.finish(isAll: true)
  }

  /// Removes the next record, unless it is the turn of `chunk`, the next chunk to send.
  ///
  /// Records alternate with chunks at which the destination has failed. If it fails at one kind and
  /// stores the other, its failures are not in a row, so neither kind blocks the other.
  mutating func removeFirst(beside chunk: UploadQueue.Item?) -> Item? {
    guard !items.isEmpty else { return nil }
    if let chunk, chunk.past != .clean {
      yields.toggle()
      guard yields else { return nil }
    }
    return items.removeFirst()
  }

  mutating func removeAll() { items = [] }

  /// Whether this chunk waits until the list has been read.
  func holdsUp(_ chunk: UploadQueue.Item?) -> Bool {
    guard let chunk, chunk.past != .clean else { return false }
    return list.isUnderWay || list == .due && goesFirst
  }

  /// Notes that chunks were sent. Once the next session has begun, the previous one may be complete
  /// as soon as its last verdicts are noted.
  mutating func noteSent(_ chunk: UploadQueue.Item) {
    if let lastSession, lastSession != chunk.session { writesUntilRead = 2 }
    if chunk.past == .clean { goesFirst = true }
    lastSession = chunk.session
  }

  /// Notes that verdicts are in the store.
  mutating func noteWritten() {
    if let writes = writesUntilRead { writesUntilRead = max(0, writes - 1) }
  }
}
