internal import Values

/// Chunks that the queue has read from the store and not sent yet, in the order of sending.
struct WaitingChunks {
  typealias Item = UploadQueue.Item

  private var items: [Item] = []
  /// How far the store's list is known.
  private(set) var list = ReadProgress.due
  /// Chunks to be sent alone, since the destination failed at them or at others with them.
  private var alone: Set<UniqueID> = []

  var isEmpty: Bool { items.isEmpty }
  var count: Int { items.count }
  var first: Item? { items.first }
  var ids: [UniqueID] { items.map(\.id) }

  /// The store may have more than it told, or tells now.
  mutating func expire() { list.expire() }

  /// The store is asked.
  mutating func beginReading() { list = .reading }

  /// The store does not answer.
  mutating func abandonReading() { list.finish(isAll: false) }

  /// Appends the store's answer.
  mutating func append(_ found: [Item], isAll: Bool) {
    items += found
    alone.formUnion(found.lazy.filter { $0.attempts > 0 }.map(\.id))
    list.finish(isAll: isAll)
  }

  /// Puts chunks back: they are the next.
  mutating func putBack(_ chunks: [Item]) { items.insert(contentsOf: chunks, at: 0) }

  /// The destination failed at all of them, perhaps for the sake of one: each goes again, alone.
  mutating func separate(_ chunks: [Item]) {
    alone.formUnion(chunks.map(\.id))
    putBack(chunks)
  }

  /// A chunk has its verdict.
  mutating func settle(_ id: UniqueID) { alone.remove(id) }

  /// Drops all of them: they are read again in the order of the store.
  mutating func removeAll() {
    items = []
    alone = []
  }

  /// Removes the chunks of the next call: chunks of one session, of so many bytes at most.
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
