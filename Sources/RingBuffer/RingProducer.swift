public import Synchronization

/// The end of a ring that puts elements in. Used by one thread.
public struct RingProducer<Element: BitwiseCopyable>: ~Copyable, Sendable {
  @usableFromInline let storage: RingStorage<Element>
  /// What was put in so far: our own index, which nobody else writes.
  @usableFromInline var tail = 0
  /// The consumer's index when it was last looked at. Reading it again only when the ring seems
  /// full keeps the shared line out of most pushes.
  @usableFromInline var knownHead = 0

  init(_ storage: RingStorage<Element>) {
    self.storage = storage
  }

  /// Puts one element in; `false`, at once, if the ring is full.
  @inlinable
  public mutating func push(_ element: Element) -> Bool {
    guard hasRoom(for: 1) else { return false }
    unsafe storage.slots[tail & storage.mask] = element
    tail += 1
    publish()
    return true
  }

  /// Puts in as many elements as there is room for, from the front, and returns how many.
  ///
  /// They become visible together, at the price of one.
  @inlinable
  public mutating func push(_ elements: Span<Element>) -> Int {
    push(elements.count) { elements[$0] }
  }

  /// The same for elements that are made where they go: `element` is asked for each by its place
  /// among them.
  @inlinable
  public mutating func push(_ count: Int, _ element: (Int) -> Element) -> Int {
    let start = tail
    let fitting = hasRoom(for: count) ? count : storage.capacity - (start - knownHead)
    for index in 0..<fitting {
      unsafe storage.slots[(start + index) & storage.mask] = element(index)
    }
    tail = start + fitting
    publish()
    return fitting
  }

  /// Elements put in since the ring was made.
  @inlinable
  public var total: Int { tail }

  /// Elements in the ring at most: the consumer may have taken some meanwhile.
  @inlinable
  public var fillLevel: Int { tail - knownHead }

  /// Elements the ring holds when full.
  @inlinable
  public var capacity: Int { storage.capacity }

  @inlinable @inline(__always)
  mutating func hasRoom(for count: Int) -> Bool {
    if storage.capacity - (tail - knownHead) >= count { return true }
    // Safety: acquire pairs with the consumer's release, so its reads of a freed slot are over.
    knownHead = storage.head.count.load(ordering: .acquiring)
    return storage.capacity - (tail - knownHead) >= count
  }

  @inlinable
  func publish() {
    // Safety: release, so that a consumer which sees the index sees the slots before it.
    storage.tail.count.store(tail, ordering: .releasing)
  }
}
