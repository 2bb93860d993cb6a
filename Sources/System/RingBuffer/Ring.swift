/// A lock-free queue between one producing thread and one consuming thread.
///
/// Its two ends are separate values that cannot be copied, so a second producer or consumer does
/// not compile. No operation blocks, allocates or wakes a thread: the owner of a producer decides
/// when to wake the consumer.
///
/// Each end belongs to one thread; here one thread has both:
///
///     let ends = Ring<UInt32>.make(capacity: 1_024)
///     var producer = ends.producer
///     var consumer = ends.consumer
///     let isAdded = producer.push(7)
///     var sum: UInt32 = 0
///     consumer.drain { numbers in
///       for index in numbers.indices { sum += numbers[index] }
///     }
public enum Ring<Element: BitwiseCopyable> {
  /// Both ends of a ring that holds `capacity` elements, a power of two.
  public static func make(capacity: Int) -> RingEnds<Element> {
    precondition(
      capacity > 0 && capacity & (capacity - 1) == 0, "the capacity must be a power of two")
    let storage = RingStorage<Element>(capacity: capacity)
    return RingEnds(producer: RingProducer(storage), consumer: RingConsumer(storage))
  }

  /// The smallest capacity for this many elements; if that would take more memory than `bytes`, the
  /// largest one that does not.
  public static func capacity(holding elements: Int, within bytes: Int) -> Int {
    var capacity = 1
    while capacity < elements, 2 * capacity * MemoryLayout<Element>.stride <= bytes {
      capacity *= 2
    }
    return capacity
  }
}

/// The two ends of a new ring, to be given to their threads.
@frozen
public struct RingEnds<Element: BitwiseCopyable>: ~Copyable, Sendable {
  /// The end that pushes.
  public var producer: RingProducer<Element>
  /// The end that drains.
  public var consumer: RingConsumer<Element>
}
