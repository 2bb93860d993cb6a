internal import Values

/// The sessions with a record that is waiting to be sent. This type also decides when to read these
/// sessions from the store.
struct WaitingRecords {
  typealias Item = UploadQueue.SessionItem

  private var items: [Item] = []
  /// The progress of reading the list of sessions from the store.
  private(set) var list = ReadProgress.due
  /// Whether to read the list of sessions before sending the next chunk of a session with earlier
  /// upload failures. Such a chunk may fail again and cause a backoff, during which the records
  /// would have to wait.
  private var goesFirst = true
  /// Whether a chunk on which the destination has failed must be sent before the next record.
  private var yields = false
  /// The session to which the last sent chunks belong.
  private var lastSession: UniqueID?
  /// The number of verdict writes that must still finish before the list of sessions is read; `nil`
  /// if no read is planned. This number is set when the first chunks of the next session are sent.
  private var writesUntilRead: Int?

  var isEmpty: Bool { items.isEmpty }

  /// Whether sessions may have become complete since the list of sessions was last read.
  var isDue: Bool { list == .due || list == .outdated }

  /// Records that sessions may have become complete.
  mutating func expire() { list.expire() }

  /// Allows postponed records to be sent again. The list of sessions is then read before the next
  /// chunk of a session with earlier upload failures is sent.
  mutating func release() {
    expire()
    goesFirst = true
  }

  /// Starts reading the list of sessions, if a read is due and need not wait. Returns whether the
  /// caller must now read the list from the store.
  ///
  /// - Parameter isQuiet: whether no chunks are being sent, and the records need not wait for any
  ///   other chunk.
  mutating func beginReading(isQuiet: Bool) -> Bool {
    guard list == .due, items.isEmpty, isQuiet || writesUntilRead == 0 else { return false }
    writesUntilRead = nil
    // If chunks are being sent, the list of sessions is read again afterwards.
    list = isQuiet ? .reading : .outdated
    if isQuiet { goesFirst = false }
    return true
  }

  /// Records that the read failed.
  mutating func abandonReading() { list.finish(isAll: false) }

  mutating func replace(by found: [Item]) {
    items = found
    list.finish(isAll: true)
  }

  /// Removes and returns the next record. Returns `nil` if `chunk`, the next chunk to send, must be
  /// sent first.
  ///
  /// Records alternate with chunks on which the destination has failed. If the destination fails on
  /// one kind and stores the other, its failures are not consecutive, so neither kind blocks the
  /// other.
  mutating func removeFirst(beside chunk: UploadQueue.Item?) -> Item? {
    guard !items.isEmpty else { return nil }
    if let chunk, chunk.past != .clean {
      yields.toggle()
      guard yields else { return nil }
    }
    return items.removeFirst()
  }

  mutating func removeAll() { items = [] }

  /// Returns whether this chunk must not be sent until the list of sessions has been read.
  func holdsUp(_ chunk: UploadQueue.Item?) -> Bool {
    guard let chunk, chunk.past != .clean else { return false }
    return list.isUnderWay || list == .due && goesFirst
  }

  /// Records that chunks were sent. After the next session has started, the previous session may be
  /// complete as soon as its last verdicts are stored.
  mutating func noteSent(_ chunk: UploadQueue.Item) {
    if let lastSession, lastSession != chunk.session { writesUntilRead = 2 }
    if chunk.past == .clean { goesFirst = true }
    lastSession = chunk.session
  }

  /// Records that verdicts were written to the store.
  mutating func noteWritten() {
    if let writes = writesUntilRead { writesUntilRead = max(0, writes - 1) }
  }
}
