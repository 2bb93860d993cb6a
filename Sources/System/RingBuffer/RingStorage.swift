public import Synchronization

/// The memory both ends share: the slots and the two indices.
///
/// Indices count up for ever and are masked when used, so full and empty differ without a spare
/// slot.
///
/// Everything that touches it is inlinable, so that callers get code made for their element: four
/// times as fast as the generic one, and the only kind in which ThreadSanitizer sees the accesses
/// to the slots.
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

/// Where the elements are. Each end has a copy of this, beside its own indices.
// Safety: slots in [head, tail) belong to the consumer, all others to the producer. The producer
// hands a slot over by storing `tail` with release, which the consumer loads with acquire; the
// consumer returns it by storing `head` with release, which the producer loads with acquire. The
// memory lives as long as the storage, which both ends keep.
@safe
@usableFromInline
struct RingSlots<Element: BitwiseCopyable>: @unchecked Sendable {
  @usableFromInline let start: UnsafeMutablePointer<Element>
  /// The capacity less one, which is a power of two.
  @usableFromInline let mask: Int

  init(capacity: Int) {
    mask = capacity - 1
    unsafe start = .allocate(capacity: capacity)
    // The kernel finds a page when it is first written to, which takes it microseconds and may have
    // to wait for memory: not while the producer is at work.
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

  /// Puts the first `count` of these elements in, from `number` on: at most two copies of memory.
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

  /// Lends what is in the slots from `number` on that lie one after the other, `count` at most, and
  /// returns how many these are.
  @inlinable @inline(__always)
  func lend<Failure: Error>(
    _ count: Int, from number: Int, _ body: (Span<Element>) throws(Failure) -> Void
  ) throws(Failure) -> Int {
    let place = number & mask
    let length = min(count, capacity &- place)
    // Safety: the slots are the consumer's while it lends them; the span is lent for the call only.
    try unsafe body(Span(_unsafeStart: start + place, count: length))
    return length
  }
}

/// An index that shares its cache line with nothing, so that one side's stores evict nothing that
/// the other looks at.
///
/// 128 bytes from one to the next, because processors fetch lines in pairs. There is room on both
/// sides, since nobody says where on a line an object begins.
@usableFromInline
struct PaddedIndex: ~Copyable, Sendable {
  private let before = CacheLinePadding()
  @usableFromInline let count = Atomic<Int>(0)
  private let after = CacheLinePadding()
}

/// Bytes that keep what is before them off the cache lines of what is behind them.
@usableFromInline
struct CacheLinePadding: Sendable {
  private let words: InlineArray<15, Int> = .init(repeating: 0)

  @usableFromInline init() {}
}
