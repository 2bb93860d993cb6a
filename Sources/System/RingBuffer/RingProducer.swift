public import Synchronization

/// The end of a ring that adds elements. Only one thread may use it.
public struct RingProducer<Element: BitwiseCopyable>: ~Copyable, Sendable {
  @usableFromInline let storage: RingStorage<Element>
  @usableFromInline let slots: RingSlots<Element>
  /// The number of elements added since the ring was created. Only this end writes this index.
  @usableFromInline var tail = 0
  /// The consumer's index when this end last read it. This end reads it again only when the ring
  /// appears to be full, so most pushes do not touch the shared cache line.
  @usableFromInline var knownHead = 0
  /// Padding that keeps the other end, and any data stored after this end, off this end's cache
  /// lines.
  private let padding = CacheLinePadding()

  init(_ storage: RingStorage<Element>) {
    self.storage = storage
    slots = storage.slots
  }

  /// Returns `false` at once if the ring is full.
  @inlinable @inline(__always)
  public mutating func push(_ element: Element) -> Bool {
    guard room(for: 1) > 0 else { return false }
    slots[tail] = element
    publish(1)
    return true
  }

  /// Adds as many of the elements as fit, starting with the first. Returns the number added.
  ///
  /// All of the elements become visible to the consumer at once, so the call costs no more than a
  /// single push.
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

  /// The number of elements added since the ring was created.
  @inlinable
  public var total: Int { tail }

  /// An upper bound on the number of elements in the ring. The consumer may be removing elements at
  /// the same time.
  @inlinable
  public var fillLevel: Int { tail &- knownHead }

  @inlinable
  public var capacity: Int { slots.capacity }

  /// Returns how many elements fit into the ring, but at most `count`.
  @inlinable @inline(__always)
  mutating func room(for count: Int) -> Int {
    if slots.capacity &- (tail &- knownHead) >= count { return count }
    // Safety: the acquire pairs with the consumer's release, so the consumer has read the freed
    // slots.
    knownHead = storage.head.count.load(ordering: .acquiring)
    return min(count, slots.capacity &- (tail &- knownHead))
  }

  @inlinable @inline(__always)
  mutating func publish(_ count: Int) {
    tail &+= count
    // Safety: the release makes the slots visible to a consumer that sees the index.
    storage.tail.count.store(tail, ordering: .releasing)
  }
}
