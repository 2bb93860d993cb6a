import Glibc
import LinuxSystem
import RingBuffer
import Testing

/// Two real threads on one ring.
///
/// In an optimised build under ThreadSanitizer these go red when an ordering of the ring is too
/// weak; a plain run would most likely not notice.
@Suite(.serialized) struct RingThreadTests {
  #if DEBUG
    static let count = 30_000
  #else
    static let count = 300_000
  #endif

  /// Fresh rings, since a wrong ordering may need luck to show; small ones wrap around most.
  static let capacities = [1, 2, 4, 8, 16, 64, 64, 256, 1_024, 4_096]

  @Test func `elements pushed and popped one by one arrive once and in order`() throws {
    for capacity in Self.capacities {
      try Self.run(capacity: capacity) { producer in
        for number in 1...Self.count {
          while !producer.push(number) { sched_yield() }
        }
      } consume: { consumer, check in
        while check.count < Self.count {
          if let number = consumer.pop() { check.take(number) } else { sched_yield() }
        }
      }
    }
  }

  @Test func `elements pushed in batches and drained arrive once and in order`() throws {
    for capacity in Self.capacities {
      try Self.run(capacity: capacity) { producer in
        var batch: [Int] = []
        var next = 1
        while next <= Self.count {
          // Batches of changing size, some of them larger than the ring.
          let size = min(1 + next * 7 % 97, Self.count - next + 1)
          batch.removeAll(keepingCapacity: true)
          batch.append(contentsOf: next..<(next + size))
          let pushed = producer.push(batch.span)
          if pushed == 0 { sched_yield() }
          next += pushed
        }
      } consume: { consumer, check in
        while check.count < Self.count {
          let drained = consumer.drain { part in
            for index in part.indices { check.take(part[index]) }
          }
          if drained == 0 { sched_yield() }
        }
      }
    }
  }

  @Test func `elements made in place and drained a few at a time arrive once, in order`() throws {
    for capacity in Self.capacities {
      try Self.run(capacity: capacity) { producer in
        var next = 1
        while next <= Self.count {
          let first = next
          next += producer.push(min(3, Self.count - next + 1)) { first + $0 }
          if next == first { sched_yield() }
        }
      } consume: { consumer, check in
        while check.count < Self.count {
          let drained = consumer.drain(atMost: 5) { part in
            for index in part.indices { check.take(part[index]) }
          }
          if drained == 0 { sched_yield() }
        }
      }
    }
  }

  @Test func `what an overflow refused and what it let through are all there is`() throws {
    for capacity in Self.capacities {
      // The producer does not wait: it counts what had no room and goes on, as a reader does.
      let refused = Guarded(0)
      let taken = try Self.exchange(capacity: capacity) { producer in
        var lost = 0
        for number in 1...Self.count where !producer.push(number) { lost += 1 }
        // Told as the last element, for which it may wait.
        while !producer.push(-lost) { sched_yield() }
        refused.withLock { [lost] in $0 = lost }
      } consume: { consumer in
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
          if drained == 0 { sched_yield() }
        }
        return taken
      }
      #expect(taken.isRising, "capacity \(capacity)")
      #expect(taken.count + taken.lost == Self.count, "capacity \(capacity)")
      #expect(taken.lost == refused.withLock { $0 }, "capacity \(capacity)")
    }
  }

  /// What the consumer has seen.
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
    let (check, rest) = try exchange(capacity: capacity, produce) { consumer in
      var check = Check()
      consume(&consumer, &check)
      return (check, consumer.pop())
    }
    #expect(rest == nil)
    #expect(check.count == Self.count)
    #expect(check.sum == Self.count * (Self.count + 1) / 2, "capacity \(capacity)")
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
