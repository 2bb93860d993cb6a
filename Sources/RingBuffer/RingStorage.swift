public import Synchronization

/// The memory both ends share: the slots and the two indices.
///
/// Indices count up for ever and are masked when used, so full and empty differ without a spare
/// slot.
///
/// Everything that touches it is inlinable, so that callers get code made for their element: four
/// times as fast as the generic one, and the only kind in which ThreadSanitizer sees the accesses
/// to the slots.
// Safety: slots in [head, tail) belong to the consumer, all others to the producer. The producer
// hands a slot over by storing `tail` with release, which the consumer loads with acquire; the
// consumer returns it by storing `head` with release, which the producer loads with acquire.
@safe
@usableFromInline
final class RingStorage<Element: BitwiseCopyable>: @unchecked Sendable {
  @usableFromInline let capacity: Int
  @usableFromInline let mask: Int
  @usableFromInline let slots: UnsafeMutablePointer<Element>
  /// Count of elements taken out; only the consumer stores it.
  @usableFromInline let head = PaddedIndex()
  /// Count of elements put in; only the producer stores it.
  @usableFromInline let tail = PaddedIndex()

  init(capacity: Int) {
    self.capacity = capacity
    mask = capacity - 1
    unsafe slots = .allocate(capacity: capacity)
    // The kernel finds a page when it is first written to, which takes it microseconds and may have to
    // wait for memory: not while the producer is at work.
    unsafe UnsafeMutableRawPointer(slots).initializeMemory(
      as: UInt8.self, repeating: 0, count: capacity * MemoryLayout<Element>.stride)
  }

  deinit {
    unsafe slots.deallocate()
  }
}

/// An index on a cache line of its own, so that one side's stores do not evict the other's.
///
/// 128 bytes, because processors fetch lines in pairs.
@usableFromInline
struct PaddedIndex: ~Copyable {
  @usableFromInline let count = Atomic<Int>(0)
  private let padding: InlineArray<15, Int> = .init(repeating: 0)
}
