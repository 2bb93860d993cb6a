public import Synchronization

/// The end of a ring that removes elements. Only one thread may use it.
public struct RingConsumer<Element: BitwiseCopyable>: ~Copyable, Sendable {
  @usableFromInline let storage: RingStorage<Element>
  @usableFromInline let slots: RingSlots<Element>
  /// The number of elements removed since the ring was created. Only this end writes this index.
  @usableFromInline var head = 0
  /// The producer's index when this end last read it.
  @usableFromInline var knownTail = 0
  /// Padding that keeps the other end, and any data stored after this end, off this end's cache
  /// lines.
  private let padding = CacheLinePadding()

  init(_ storage: RingStorage<Element>) {
    self.storage = storage
    slots = storage.slots
  }

  /// Removes and returns the oldest element, or returns `nil` if the ring is empty.
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

  /// Passes at most `limit` elements to `body`, in order and in at most two contiguous spans.
  /// Returns the number of elements passed.
  ///
  /// The producer can reuse the slots of a span as soon as `body` returns. Elements that are pushed
  /// during this call stay in the ring, so the call ends however fast the producer is. If `body`
  /// throws, the elements of its span stay in the ring.
  @discardableResult
  @inlinable
  public mutating func drain<Failure: Error>(
    atMost limit: Int = .max, _ body: (Span<Element>) throws(Failure) -> Void
  ) throws(Failure) -> Int {
    // Read the producer's index again, so that a single call removes all elements.
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
    // Safety: the acquire pairs with the producer's release, so the slots before the index are
    // written.
    knownTail = storage.tail.count.load(ordering: .acquiring)
  }

  @inlinable @inline(__always)
  mutating func release(_ count: Int) {
    head &+= count
    // Safety: the release lets the producer overwrite a slot only after this end has read it.
    storage.head.count.store(head, ordering: .releasing)
  }
}
