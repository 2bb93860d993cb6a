/// A lock-free queue between one producing thread and one consuming thread.
///
/// The two ends of the queue are separate non-copyable values, so code with a second producer or
/// consumer does not compile. No operation blocks, allocates or wakes a thread: the owner of a
/// producer decides when to wake the consumer.
///
/// Each end must be used by only one thread. In this example, one thread uses both ends:
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
  /// Creates a ring and returns both of its ends. The capacity in elements must be a power of two.
  public static func make(capacity: Int) -> RingEnds<Element> {
    precondition(
      capacity > 0 && capacity & (capacity - 1) == 0, "the capacity must be a power of two")
    let storage = RingStorage<Element>(capacity: capacity)
    return RingEnds(producer: RingProducer(storage), consumer: RingConsumer(storage))
  }

  /// Returns the smallest valid capacity for the given number of elements. If the ring would then
  /// need more than `bytes`, returns the largest capacity that fits.
  public static func capacity(holding elements: Int, within bytes: Int) -> Int {
    var capacity = 1
    while capacity < elements, 2 * capacity * MemoryLayout<Element>.stride <= bytes {
      capacity *= 2
    }
    return capacity
  }
}

/// The two ends of a new ring, each to be passed to one thread.
@frozen
public struct RingEnds<Element: BitwiseCopyable>: ~Copyable, Sendable {
  public var producer: RingProducer<Element>
  public var consumer: RingConsumer<Element>
}
