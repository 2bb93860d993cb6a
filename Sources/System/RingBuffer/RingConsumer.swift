public import Synchronization

/// The end of a ring that takes elements out. Used by one thread.
public struct RingConsumer<Element: BitwiseCopyable>: ~Copyable, Sendable {
  @usableFromInline let storage: RingStorage<Element>
  @usableFromInline let slots: RingSlots<Element>
  /// Number of elements taken out so far. Only this end writes this index.
  @usableFromInline var head = 0
  /// The producer's index when it was last read.
  @usableFromInline var knownTail = 0
  /// Keeps the other end, and any data after this one, on other cache lines.
  private let padding = CacheLinePadding()

  init(_ storage: RingStorage<Element>) {
    self.storage = storage
    slots = storage.slots
  }

  /// Takes the oldest element out; `nil` if there is none.
  @inlinable @inline(__always)
  public mutating func pop() -> Element? {
    if knownTail == head {
      look()
      guard knownTail != head else { return nil }
    }
    let element = slots[head]
    release(1)
    return element
  }

  /// Passes the elements in the ring to `body`, in order: at most `limit`, in at most two
  /// contiguous parts. Returns their number.
  ///
  /// Each part is free for the producer as soon as `body` has returned from it. Elements pushed
  /// meanwhile are left for the next call, so that it ends however fast the producer is. If `body`
  /// throws, its part stays in the ring.
  @discardableResult
  @inlinable
  public mutating func drain<Failure: Error>(
    atMost limit: Int = .max, _ body: (Span<Element>) throws(Failure) -> Void
  ) throws(Failure) -> Int {
    // Reading the producer's index again makes one drain take all elements.
    look()
    let count = min(limit, knownTail &- head)
    var taken = 0
    while taken < count {
      let length = try slots.lend(count &- taken, from: head, body)
      release(length)
      taken &+= length
    }
    return count
  }

  @inlinable @inline(__always)
  mutating func look() {
    // Safety: acquire pairs with the producer's release, so the slots before the index are written.
    knownTail = storage.tail.count.load(ordering: .acquiring)
  }

  @inlinable @inline(__always)
  mutating func release(_ count: Int) {
    head &+= count
    // Safety: release, so that the producer overwrites a slot only after this end's reads of it.
    storage.head.count.store(head, ordering: .releasing)
  }
}
