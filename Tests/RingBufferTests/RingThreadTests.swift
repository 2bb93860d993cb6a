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
    let ends = Ring<Int>.make(capacity: capacity)
    var consumer = ends.consumer
    let handOver = HandOver(ends.producer)
    let thread = try NamedThread("producer") {
      guard var producer = handOver.take() else { return }
      produce(&producer)
    }
    var check = Check()
    consume(&consumer, &check)
    thread.join()
    let rest = consumer.pop()
    #expect(rest == nil)
    #expect(check.count == Self.count)
    #expect(check.sum == Self.count * (Self.count + 1) / 2, "capacity \(capacity)")
    #expect(check.isInOrder, "capacity \(capacity)")
  }
}
