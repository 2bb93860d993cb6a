public import Synchronization

/// The memory that both ends share: the slots and the two indices.
///
/// Indices count up forever and are masked when used, so full and empty differ without a spare
/// slot.
///
/// All accesses to it are inlinable, so that callers get code specialised for their element. That
/// is four times as fast as generic code, and the only kind in which ThreadSanitizer sees the
/// accesses to the slots.
@usableFromInline
final class RingStorage<Element: BitwiseCopyable>: Sendable {
  @usableFromInline let slots: RingSlots<Element>
  /// Count of elements taken out; only the consumer stores it.
  @usableFromInline let head = PaddedIndex()
  /// Count of elements put in; only the producer stores it.
  @usableFromInline let tail = PaddedIndex()

  init(capacity: Int) {
    slots = RingSlots(capacity: capacity)
  }

  deinit {
    slots.deallocate()
  }
}

/// The memory of the elements. Each end has a copy of this value, beside its own indices.
// Safety: slots in [head, tail) belong to the consumer, all others to the producer. The producer
// hands a slot over by storing `tail` with release, which the consumer loads with acquire; the
// consumer returns it by storing `head` with release, which the producer loads with acquire. The
// memory lives as long as the storage, which both ends keep.
@safe
@usableFromInline
struct RingSlots<Element: BitwiseCopyable>: @unchecked Sendable {
  @usableFromInline let start: UnsafeMutablePointer<Element>
  /// The capacity, which is a power of two, less one.
  @usableFromInline let mask: Int

  init(capacity: Int) {
    mask = capacity - 1
    unsafe start = .allocate(capacity: capacity)
    // The kernel allocates a page at its first write, which takes microseconds and may have to wait
    // for memory. This is done now, before the producer works.
    unsafe UnsafeMutableRawPointer(start).initializeMemory(
      as: UInt8.self, repeating: 0, count: capacity * MemoryLayout<Element>.stride)
  }

  func deallocate() {
    unsafe start.deallocate()
  }

  @inlinable @inline(__always)
  var capacity: Int { mask &+ 1 }

  /// The element with this number, counted from the first that was ever put in.
  @inlinable
  subscript(_ number: Int) -> Element {
    @inline(__always) get { unsafe start[number & mask] }
    @inline(__always) nonmutating set { unsafe start[number & mask] = newValue }
  }

  /// Stores the first `count` of these elements, from `number` on: at most two memory copies.
  @inlinable @inline(__always)
  func put(_ elements: Span<Element>, count: Int, at number: Int) {
    let place = number & mask
    let length = min(count, capacity &- place)
    // Safety: `count` is no more than the span has and no more than the producer has slots for.
    unsafe elements.withUnsafeBufferPointer { source in
      guard let first = source.baseAddress else { return }
      unsafe (start + place).update(from: first, count: length)
      unsafe start.update(from: first + length, count: count &- length)
    }
  }

  /// Passes the contiguous slots from `number` on to `body`, at most `count`, and returns their
  /// number.
  @inlinable @inline(__always)
  func lend<Failure: Error>(
    _ count: Int, from number: Int, _ body: (Span<Element>) throws(Failure) -> Void
  ) throws(Failure) -> Int {
    let place = number & mask
    let length = min(count, capacity &- place)
    // Safety: the slots are the consumer's during the call, and the span is valid only for the
    // call.
    try unsafe body(Span(_unsafeStart: start + place, count: length))
    return length
  }
}

/// An index that shares its cache line with no other data, so that one side's stores evict nothing
/// that the other reads.
///
/// 128 bytes from one to the next, because processors fetch lines in pairs. There is padding on
/// both sides, since the position of an object on a line is unspecified.
@usableFromInline
struct PaddedIndex: ~Copyable, Sendable {
  private let before = CacheLinePadding()
  @usableFromInline let count = Atomic<Int>(0)
  private let after = CacheLinePadding()
}

/// Bytes that keep the data before them off the cache lines of the data after them.
@usableFromInline
struct CacheLinePadding: Sendable {
  private let words: InlineArray<15, Int> = .init(repeating: 0)

  @usableFromInline init() {}
}
