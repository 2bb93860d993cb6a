internal import Values

/// Chunks that the queue has read from the store and not sent yet, in the order of sending.
struct WaitingChunks {
  typealias Item = UploadQueue.Item

  private var items: [Item] = []
  /// Progress in reading the store's list.
  private(set) var list = ReadProgress.due
  /// Chunks to be sent alone, since the destination failed at them or at others sent with them.
  private var alone: Set<UniqueID> = []

  var isEmpty: Bool { items.isEmpty }
  var count: Int { items.count }
  var first: Item? { items.first }
  var ids: [UniqueID] { items.map(\.id) }

  /// Notes that the store may have more than it returned, or is returning now.
  mutating func expire() { list.expire() }

  /// Notes that the store was asked.
  mutating func beginReading() { list = .reading }

  /// Notes that the store does not answer.
  mutating func abandonReading() { list.finish(isAll: false) }

  /// Appends the store's answer.
  mutating func append(_ found: [Item], isAll: Bool) {
    items += found
    alone.formUnion(found.lazy.filter { $0.attempts > 0 }.map(\.id))
    list.finish(isAll: isAll)
  }

  /// Puts chunks back at the front.
  mutating func putBack(_ chunks: [Item]) { items.insert(contentsOf: chunks, at: 0) }

  /// Queues chunks again, each to be sent alone: the destination failed at all of them, perhaps
  /// because of one.
  mutating func separate(_ chunks: [Item]) {
    alone.formUnion(chunks.map(\.id))
    putBack(chunks)
  }

  /// Notes that a chunk has its verdict.
  mutating func settle(_ id: UniqueID) { alone.remove(id) }

  /// Drops all chunks, to be read again in the order of the store.
  mutating func removeAll() {
    items = []
    alone = []
  }

  /// Removes the chunks of the next call: all from one session, with at most this number of bytes.
  mutating func removeBatch(_ rules: UploadQueue.Rules, upTo paceBytes: Int) -> [Item] {
    let first = items[0]
    var count = 1
    var bytes = first.byteCount
    if !alone.contains(first.id) {
      while count < min(rules.chunksPerCall, items.count) {
        let next = items[count]
        bytes += next.byteCount
        guard next.session == first.session, bytes <= min(rules.bytesPerCall, paceBytes),
          !alone.contains(next.id)
        else { break }
        count += 1
      }
    }
    defer { items.removeFirst(count) }
    return Array(items.prefix(count))
  }
}
