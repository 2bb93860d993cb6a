import Glibc
import LinuxSystem
import RingBuffer
import TestSupport
import Testing

/// Two real threads on one ring.
///
/// In an optimised build under ThreadSanitizer these tests fail if an ordering of the ring is too
/// weak. A plain run would most likely not notice.
@Suite(.realTime, .serialized) struct RingThreadTests {
  #if DEBUG
    static let most = 30_000
  #else
    static let most = 300_000
  #endif

  /// Number of elements for a ring. In a small ring the threads wait for each other every few
  /// elements.
  static func count(_ capacity: Int) -> Int { min(most, 2_000 * capacity) }

  /// Several rings, since a wrong ordering may show only by luck; small ones wrap around most.
  static let capacities = [1, 2, 4, 8, 16, 64, 64, 256, 1_024, 4_096]

  @Test func `elements pushed and popped one by one arrive once and in order`() throws {
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

  @Test func `elements pushed in batches and drained arrive once and in order`() throws {
    for capacity in Self.capacities {
      let count = Self.count(capacity)
      try Self.run(capacity: capacity) { producer in
        var spin = Spin()
        var batch: [Int] = []
        var next = 1
        while next <= count {
          // Batches of varying size, some of them larger than the ring.
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

  @Test func `elements created in place and drained in small parts arrive once, in order`() throws {
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

  @Test func `accepted and rejected elements of an overflow add up to all`() throws {
    for capacity in Self.capacities {
      let count = Self.count(capacity)
      // The producer does not wait: it counts refused elements and continues, as a reader does.
      let refused = Guarded(0)
      let taken = try Self.exchange(capacity: capacity) { producer in
        var spin = Spin()
        var lost = 0
        for number in 1...count where !producer.push(number) { lost += 1 }
        // Reported as the last element, for which it may wait.
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

  /// Pauses for a thread that needs the other one to make progress.
  struct Spin {
    private var tries = 0

    /// Tries again at once, so that the two meet. Sleeps now and then, so that the other thread
    /// gets a processor. It avoids `sched_yield`: on a busy machine that waits until all others
    /// have used up their time, at every element.
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

  /// Runs one end of a fresh ring on a thread of its own and the other on ours.
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
