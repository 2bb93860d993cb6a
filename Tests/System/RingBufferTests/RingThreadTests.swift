import Glibc
import LinuxSystem
import RingBuffer
import TestSupport
import Testing

/// A ring that is shared by two real threads.
///
/// In an optimised build under ThreadSanitizer, these tests fail if a memory ordering of the ring
/// is too weak. A plain run would most likely not reveal this.
@Suite(.realTime, .serialized) struct RingThreadTests {
  #if DEBUG
    static let most = 30_000
  #else
    static let most = 300_000
  #endif

  /// Returns the number of elements to send through a ring. With a small ring, the threads wait for
  /// each other after every few elements.
  static func count(_ capacity: Int) -> Int { min(most, 2_000 * capacity) }

  /// Several rings are used, because a wrong memory ordering may become apparent only by chance.
  /// Small rings wrap around most often.
  static let capacities = [1, 2, 4, 8, 16, 64, 64, 256, 1_024, 4_096]

  @Test func `elements pushed and popped one by one each arrive once, in order`() throws {
    for capacity in Self.capacities {
      let count = Self.count(capacity)
      try Self.run(capacity: capacity) { producer in
        var spin = Spin()
        for number in 1...count {
          while !producer.push(number) { spin.pause() }
        }
      } consume: { consumer, check in
        var spin = Spin()
        while check.count < count {
          if let number = consumer.pop() { check.take(number) } else { spin.pause() }
        }
      }
    }
  }

  @Test func `elements pushed in batches and then drained each arrive once, in order`() throws {
    for capacity in Self.capacities {
      let count = Self.count(capacity)
      try Self.run(capacity: capacity) { producer in
        var spin = Spin()
        var batch: [Int] = []
        var next = 1
        while next <= count {
          // Batches of various sizes, some of which are larger than the ring.
          let size = min(1 + next * 7 % 97, count - next + 1)
          batch.removeAll(keepingCapacity: true)
          batch.append(contentsOf: next..<(next + size))
          let pushed = producer.push(batch.span)
          if pushed == 0 { spin.pause() }
          next += pushed
        }
      } consume: { consumer, check in
        var spin = Spin()
        while check.count < count {
          let drained = consumer.drain { part in
            for index in part.indices { check.take(part[index]) }
          }
          if drained == 0 { spin.pause() }
        }
      }
    }
  }

  @Test func `elements created in place and drained in small parts each arrive once, in order`()
    throws
  {
    for capacity in Self.capacities {
      let count = Self.count(capacity)
      try Self.run(capacity: capacity) { producer in
        var spin = Spin()
        var next = 1
        while next <= count {
          let first = next
          next += producer.push(min(3, count - next + 1)) { first + $0 }
          if next == first { spin.pause() }
        }
      } consume: { consumer, check in
        var spin = Spin()
        while check.count < count {
          let drained = consumer.drain(atMost: 5) { part in
            for index in part.indices { check.take(part[index]) }
          }
          if drained == 0 { spin.pause() }
        }
      }
    }
  }

  @Test func `when a ring overflows, the accepted and the rejected elements add up to the total`()
    throws
  {
    for capacity in Self.capacities {
      let count = Self.count(capacity)
      // Like the reader thread, the producer does not wait: it counts rejected elements and
      // continues.
      let refused = Guarded(0)
      let taken = try Self.exchange(capacity: capacity) { producer in
        var spin = Spin()
        var lost = 0
        for number in 1...count where !producer.push(number) { lost += 1 }
        // The count is reported in the last element, for which the producer may wait.
        while !producer.push(-lost) { spin.pause() }
        refused.withLock { [lost] in $0 = lost }
      } consume: { consumer in
        var spin = Spin()
        var taken = (count: 0, last: 0, isRising: true, lost: -1)
        while taken.lost < 0 {
          let drained = consumer.drain { part in
            for index in part.indices {
              let number = part[index]
              if number <= 0 {
                taken.lost = -number
              } else {
                taken.isRising = taken.isRising && number > taken.last
                taken.last = number
                taken.count += 1
              }
            }
          }
          if drained == 0 { spin.pause() }
        }
        return taken
      }
      #expect(taken.isRising, "capacity \(capacity)")
      #expect(taken.count + taken.lost == count, "capacity \(capacity)")
      #expect(taken.lost == refused.withLock { $0 }, "capacity \(capacity)")
    }
  }

  /// The way in which a thread pauses while it waits for the other thread to make progress.
  struct Spin {
    private var tries = 0

    /// Usually retries at once, so that the two threads meet, and occasionally sleeps, so that the
    /// other thread gets a processor. `sched_yield` is not used: on a busy machine, it would wait
    /// for the time slices of all other threads at every element.
    mutating func pause() {
      tries += 1
      if tries % 200 == 0 { usleep(20) }
    }
  }

  /// A running summary of the elements that the consumer has seen.
  struct Check {
    var count = 0
    var sum = 0
    var isInOrder = true

    mutating func take(_ number: Int) {
      count += 1
      sum &+= number
      isInOrder = isInOrder && number == count
    }
  }

  private static func run(
    capacity: Int, produce: @escaping @Sendable (inout RingProducer<Int>) -> Void,
    consume: (inout RingConsumer<Int>, inout Check) -> Void
  ) throws {
    let count = count(capacity)
    let (check, rest) = try exchange(capacity: capacity, produce) { consumer in
      var check = Check()
      consume(&consumer, &check)
      return (check, consumer.pop())
    }
    #expect(rest == nil)
    #expect(check.count == count)
    #expect(check.sum == count * (count + 1) / 2, "capacity \(capacity)")
    #expect(check.isInOrder, "capacity \(capacity)")
  }

  /// Runs one end of a new ring on another thread and the other end on this thread.
  private static func exchange<Result>(
    capacity: Int, _ produce: @escaping @Sendable (inout RingProducer<Int>) -> Void,
    consume: (inout RingConsumer<Int>) -> Result
  ) throws -> Result {
    let ends = Ring<Int>.make(capacity: capacity)
    var consumer = ends.consumer
    let handOver = HandOver(ends.producer)
    let thread = try NamedThread("producer") {
      guard var producer = handOver.take() else { return }
      produce(&producer)
    }
    defer { thread.join() }
    return consume(&consumer)
  }
}
