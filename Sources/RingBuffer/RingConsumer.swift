public import Synchronization

/// The end of a ring that takes elements out. Used by one thread.
public struct RingConsumer<Element: BitwiseCopyable>: ~Copyable, Sendable {
  @usableFromInline let storage: RingStorage<Element>
  /// What was taken out so far: our own index, which nobody else writes.
  @usableFromInline var head = 0
  /// The producer's index when it was last looked at.
  @usableFromInline var knownTail = 0

  init(_ storage: RingStorage<Element>) {
    self.storage = storage
  }

  /// Takes the oldest element out; `nil` if there is none.
  @inlinable
  public mutating func pop() -> Element? {
    guard available() > 0 else { return nil }
    let element = unsafe storage.slots[head & storage.mask]
    head += 1
    release()
    return element
  }

  /// Lends everything that is there to `body`, in order and in at most two contiguous parts, then
  /// frees it at once. Returns how many elements it was.
  @discardableResult
  @inlinable
  public mutating func drain(_ body: (Span<Element>) -> Void) -> Int {
    // Looking past what is already known makes one drain take all there is.
    // Safety: acquire pairs with the producer's release, so the slots before the index are written.
    knownTail = storage.tail.count.load(ordering: .acquiring)
    let count = knownTail - head
    var taken = 0
    while taken < count {
      let start = (head + taken) & storage.mask
      let length = min(count - taken, storage.capacity - start)
      // Safety: the slots [head, knownTail) are ours until `head` is stored below; the span is
      // lent for the call only.
      unsafe body(Span(_unsafeStart: storage.slots + start, count: length))
      taken += length
    }
    head += count
    release()
    return count
  }

  @inlinable
  mutating func available() -> Int {
    if knownTail == head {
      // Safety: acquire pairs with the producer's release, so the slots before the index are
      // written.
      knownTail = storage.tail.count.load(ordering: .acquiring)
    }
    return knownTail - head
  }

  @inlinable
  func release() {
    // Safety: release, so that the producer overwrites a slot only after our reads of it.
    storage.head.count.store(head, ordering: .releasing)
  }
}
