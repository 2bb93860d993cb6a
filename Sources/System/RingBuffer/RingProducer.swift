public import Synchronization

/// The end of a ring that puts elements in. Used by one thread.
public struct RingProducer<Element: BitwiseCopyable>: ~Copyable, Sendable {
  @usableFromInline let storage: RingStorage<Element>
  @usableFromInline let slots: RingSlots<Element>
  /// Number of elements put in so far. Only this end writes this index.
  @usableFromInline var tail = 0
  /// The consumer's index when it was last read. Reading it again only when the ring seems full
  /// keeps the shared line out of most pushes.
  @usableFromInline var knownHead = 0
  /// Keeps the other end, and any data after this one, on other cache lines.
  private let padding = CacheLinePadding()

  init(_ storage: RingStorage<Element>) {
    self.storage = storage
    slots = storage.slots
  }

  /// Adds one element; `false`, at once, if the ring is full.
  @inlinable @inline(__always)
  public mutating func push(_ element: Element) -> Bool {
    guard room(for: 1) > 0 else { return false }
    slots[tail] = element
    publish(1)
    return true
  }

  /// Adds as many elements as fit, from the front, and returns their number.
  ///
  /// They become visible together, at the cost of one push.
  @inlinable
  public mutating func push(_ elements: Span<Element>) -> Int {
    let fitting = room(for: elements.count)
    slots.put(elements, count: fitting, at: tail)
    publish(fitting)
    return fitting
  }

  /// Adds elements that are created in place: `element` is called with the index of each. Returns
  /// the number added.
  @inlinable
  public mutating func push(_ count: Int, _ element: (Int) -> Element) -> Int {
    let fitting = room(for: count)
    for index in 0..<fitting { slots[tail &+ index] = element(index) }
    publish(fitting)
    return fitting
  }

  /// Elements added since the ring was created.
  @inlinable
  public var total: Int { tail }

  /// Upper bound of the elements in the ring: the consumer may have taken some meanwhile.
  @inlinable
  public var fillLevel: Int { tail &- knownHead }

  /// Elements in a full ring.
  @inlinable
  public var capacity: Int { slots.capacity }

  /// Number of elements that fit, at most `count`.
  @inlinable @inline(__always)
  mutating func room(for count: Int) -> Int {
    if slots.capacity &- (tail &- knownHead) >= count { return count }
    // Safety: acquire pairs with the consumer's release, so its reads of a freed slot are over.
    knownHead = storage.head.count.load(ordering: .acquiring)
    return min(count, slots.capacity &- (tail &- knownHead))
  }

  @inlinable @inline(__always)
  mutating func publish(_ count: Int) {
    tail &+= count
    // Safety: release, so that a consumer which sees the index sees the slots before it.
    storage.tail.count.store(tail, ordering: .releasing)
  }
}
