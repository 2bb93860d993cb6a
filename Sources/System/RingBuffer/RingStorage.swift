public import Synchronization

/// The memory shared by both ends of a ring: the slots and the two indices.
///
/// Indices increase without limit and are masked when used. A full ring is therefore
/// distinguishable from an empty one without a spare slot.
///
/// All accesses are inlinable, so callers are compiled to code that is specialised for their
/// element type. Specialised code is four times as fast as generic code, and only in such code does
/// ThreadSanitizer see accesses to the slots.
@usableFromInline
final class RingStorage<Element: BitwiseCopyable>: Sendable {
  @usableFromInline let slots: RingSlots<Element>
  /// The number of elements removed. Only the consumer writes it.
  @usableFromInline let head = PaddedIndex()
  /// The number of elements added. Only the producer writes it.
  @usableFromInline let tail = PaddedIndex()

  init(capacity: Int) {
    slots = RingSlots(capacity: capacity)
  }

  deinit {
    slots.deallocate()
  }
}

/// The slots that store the elements. Each end has a copy of this value next to its own indices.
// Safety: the slots in [head, tail) belong to the consumer, and all others belong to the producer.
// The producer passes a slot to the consumer by storing `tail` with release ordering, and the
// consumer loads `tail` with acquire ordering. The consumer returns the slot by storing `head` with
// release ordering, and the producer loads `head` with acquire ordering. The memory exists as long
// as the storage object, which both ends retain.
@safe
@usableFromInline
struct RingSlots<Element: BitwiseCopyable>: @unchecked Sendable {
  @usableFromInline let start: UnsafeMutablePointer<Element>
  /// The capacity minus one. The capacity is a power of two.
  @usableFromInline let mask: Int

  init(capacity: Int) {
    mask = capacity - 1
    unsafe start = .allocate(capacity: capacity)
    // The kernel allocates a page when the page is first written to, which takes microseconds and
    // may have to wait for memory. Writing to every page here avoids this delay in the producer.
    unsafe UnsafeMutableRawPointer(start).initializeMemory(
      as: UInt8.self, repeating: 0, count: capacity * MemoryLayout<Element>.stride)
  }

  func deallocate() {
    unsafe start.deallocate()
  }

  @inlinable @inline(__always)
  var capacity: Int { mask &+ 1 }

  /// Accesses an element by its number, counted from the first element ever added.
  @inlinable
  subscript(_ number: Int) -> Element {
    @inline(__always) get { unsafe start[number & mask] }
    @inline(__always) nonmutating set { unsafe start[number & mask] = newValue }
  }

  /// Copies the first `count` of these elements into the slots that start at `number`, with at most
  /// two memory copies.
  @inlinable @inline(__always)
  func put(_ elements: Span<Element>, count: Int, at number: Int) {
    let place = number & mask
    let length = min(count, capacity &- place)
    // Safety: `count` exceeds neither the span's length nor the number of slots that belong to the
    // producer.
    unsafe elements.withUnsafeBufferPointer { source in
      guard let first = source.baseAddress else { return }
      unsafe (start + place).update(from: first, count: length)
      unsafe start.update(from: first + length, count: count &- length)
    }
  }

  /// Passes at most `count` contiguous slots, starting at `number`, to `body`. Returns the number
  /// of slots passed.
  @inlinable @inline(__always)
  func lend<Failure: Error>(
    _ count: Int, from number: Int, _ body: (Span<Element>) throws(Failure) -> Void
  ) throws(Failure) -> Int {
    let place = number & mask
    let length = min(count, capacity &- place)
    // Safety: the slots belong to the consumer during the call, and the span is valid only during
    // the call.
    try unsafe body(Span(_unsafeStart: start + place, count: length))
    return length
  }
}

/// An index on its own cache line. Writes by one end therefore do not evict data that the other end
/// reads.
///
/// The indices are 128 bytes apart, because processors fetch cache lines in pairs. There is padding
/// on both sides, because an object can start anywhere within a cache line.
@usableFromInline
struct PaddedIndex: ~Copyable, Sendable {
  private let before = CacheLinePadding()
  @usableFromInline let count = Atomic<Int>(0)
  private let after = CacheLinePadding()
}

/// Padding that separates the data before and after it into different cache lines.
@usableFromInline
struct CacheLinePadding: Sendable {
  private let words: InlineArray<15, Int> = .init(repeating: 0)

  @usableFromInline init() {}
}
