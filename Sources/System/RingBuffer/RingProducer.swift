public import Synchronization

/// The end of a ring that puts elements in. Used by one thread.
public struct RingProducer<Element: BitwiseCopyable>: ~Copyable, Sendable {
  @usableFromInline let storage: RingStorage<Element>
  @usableFromInline let slots: RingSlots<Element>
  /// Number of elements put in so far. Only this end writes this index.
  @usableFromInline var tail = 0
  /// The consumer's index when it was last looked at. Reading it again only when the ring seems
  /// full keeps the shared line out of most pushes.
  @usableFromInline var knownHead = 0
  /// The other end, and whatever else stands behind this one, is on other cache lines.
  private let padding = CacheLinePadding()

  init(_ storage: RingStorage<Element>) {
    self.storage = storage
    slots = storage.slots
  }

  /// Puts one element in; `false`, at once, if the ring is full.
  @inlinable @inline(__always)
  public mutating func push(_ element: Element) -> Bool {
    guard room(for: 1) > 0 else { return false }
    slots[tail] = element
    publish(1)
    return true
  }

  /// Puts in as many elements as there is room for, from the front, and returns how many.
  ///
  /// They become visible together, at the price of one.
  @inlinable
  public mutating func push(_ elements: Span<Element>) -> Int {
    let fitting = room(for: elements.count)
    slots.put(elements, count: fitting, at: tail)
    publish(fitting)
    return fitting
  }

  /// The same for elements that are made where they go: `element` is asked for each by its place
  /// among them.
  @inlinable
  public mutating func push(_ count: Int, _ element: (Int) -> Element) -> Int {
    let fitting = room(for: count)
    for index in 0..<fitting { slots[tail &+ index] = element(index) }
    publish(fitting)
    return fitting
  }

  /// Elements put in since the ring was made.
  @inlinable
  public var total: Int { tail }

  /// Elements in the ring at most: the consumer may have taken some meanwhile.
  @inlinable
  public var fillLevel: Int { tail &- knownHead }

  /// Elements the ring holds when full.
  @inlinable
  public var capacity: Int { slots.capacity }

  /// How many of `count` elements there is room for.
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
