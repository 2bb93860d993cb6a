internal import Values

/// The chunks that the queue has read from the store but has not sent yet, in sending order.
struct WaitingChunks {
  typealias Item = UploadQueue.Item

  private var items: [Item] = []
  /// The progress of reading the list of chunks from the store.
  private(set) var list = ReadProgress.due
  /// Chunks that must each be sent alone, because the destination failed on a call that contained
  /// them.
  private var alone: Set<UniqueID> = []

  var isEmpty: Bool { items.isEmpty }
  var count: Int { items.count }
  var first: Item? { items.first }
  var ids: [UniqueID] { items.map(\.id) }

  /// Records that the store may contain more chunks than it has returned or is about to return.
  mutating func expire() { list.expire() }

  mutating func beginReading() { list = .reading }

  /// Records that the read failed.
  mutating func abandonReading() { list.finish(isAll: false) }

  /// Appends chunks that were read from the store.
  mutating func append(_ found: [Item], isAll: Bool) {
    items += found
    alone.formUnion(found.lazy.filter { $0.attempts > 0 }.map(\.id))
    list.finish(isAll: isAll)
  }

  /// Puts chunks back at the front of the queue.
  mutating func putBack(_ chunks: [Item]) { items.insert(contentsOf: chunks, at: 0) }

  /// Queues a call's chunks again, so that each is sent alone. The destination failed on the whole
  /// call, perhaps because of one chunk.
  mutating func separate(_ chunks: [Item]) {
    alone.formUnion(chunks.map(\.id))
    putBack(chunks)
  }

  /// Records that a chunk has received its verdict.
  mutating func settle(_ id: UniqueID) { alone.remove(id) }

  /// The chunks will be read again, in the order in which the store returns them.
  mutating func removeAll() {
    items = []
    alone = []
  }

  /// Removes and returns the chunks for the next call. All of them are from the same session. Their
  /// total size is at most `paceBytes`, unless a single chunk is larger.
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
