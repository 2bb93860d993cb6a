import TestSupport
import Testing

@testable import RingBuffer

/// The ring buffer compared with an array, for every sequence of operations up to a certain length.
@Suite(.computation) struct RingModelTests {
  enum Operation: CaseIterable {
    case push, pushTwo, pushFive, makeThree, pop, drain, drainTwo
  }

  static let length = 6

  @Test(arguments: [1, 2, 4])
  func `for any sequence of operations, the ring behaves like a queue of the same capacity`(
    _ capacity: Int
  ) {
    let choices = Operation.allCases
    let count = (0..<Self.length).reduce(1) { count, _ in count * choices.count }
    for number in 0..<count {
      var rest = number
      let operations = (0..<Self.length).map { _ in
        defer { rest /= choices.count }
        return choices[rest % choices.count]
      }
      if let difference = Self.firstDifference(operations, capacity: capacity) {
        Issue.record("\(difference) in \(operations)")
        return
      }
    }
  }

  @Test func `elements that do not fit into the ring are rejected, and existing ones are kept`() {
    let ends = Ring<Int>.make(capacity: 2)
    var producer = ends.producer
    var consumer = ends.consumer
    let outcomes = [producer.push(1), producer.push(2), producer.push(3)]
    #expect(outcomes == [true, true, false])
    let taken = [consumer.pop(), consumer.pop(), consumer.pop()]
    #expect(taken == [1, 2, nil])
  }

  @Test func `a large element is popped with all its bytes unchanged`() {
    struct Wide: BitwiseCopyable, Equatable {
      var a: UInt8
      var b: Int64
      var c: UInt16
    }
    let ends = Ring<Wide>.make(capacity: 4)
    var producer = ends.producer
    var consumer = ends.consumer
    for index in 0..<10 {
      let element = Wide(a: UInt8(index), b: Int64(index) << 40, c: 0xffff)
      let isPushed = producer.push(element)
      let popped = consumer.pop()
      #expect(isPushed)
      #expect(popped == element)
    }
  }

  @Test func `a ring reports its capacity and an upper bound for its number of elements`() {
    let ends = Ring<UInt8>.make(capacity: 8)
    var producer = ends.producer
    var consumer = ends.consumer
    let batch: [UInt8] = [1, 2, 3]
    let count = producer.push(batch.span)
    let (capacity, fillLevel) = (producer.capacity, producer.fillLevel)
    #expect(count == 3)
    #expect(capacity == 8)
    #expect(fillLevel == 3)
    let drained = consumer.drain { _ in }
    #expect(drained == 3)
  }

  @Test
  func `if draining fails in one part, that part's elements stay, and earlier parts are removed`() {
    struct Refusal: Error {}
    let ends = Ring<Int>.make(capacity: 4)
    var producer = ends.producer
    var consumer = ends.consumer
    let pushed = producer.push([0, 1, 2].span)
    let first = consumer.drain { _ in }
    // The ring is drained in two parts, because the content wraps around to the first slots.
    let pushedAgain = producer.push([3, 4, 5].span)
    var seen: [Int] = []
    #expect(throws: Refusal.self) {
      try consumer.drain { (part) throws(Refusal) in
        guard part[0] == 3 else { throw Refusal() }
        seen.append(part[0])
      }
    }
    let rest = [consumer.pop(), consumer.pop(), consumer.pop()]
    #expect((pushed, first, pushedAgain) == (3, 3, 3))
    #expect(seen == [3])
    #expect(rest == [4, 5, nil])
  }

  @Test func `the slots of a drained part are free before the next part is drained`() {
    let ends = Ring<Int>.make(capacity: 4)
    var producer = ends.producer
    var consumer = ends.consumer
    _ = producer.push([0, 1, 2].span)
    consumer.drain { _ in }
    _ = producer.push([3, 4, 5, 6].span)
    var accepted: [Bool] = []
    let drained = consumer.drain { part in accepted.append(producer.push(part[0] + 4)) }
    // While the first part is being drained, no slot is free. While the second part is being
    // drained, there are free slots.
    #expect(accepted == [false, true])
    #expect(drained == 4)
    let rest = [consumer.pop(), consumer.pop()]
    #expect(rest == [8, nil])
  }

  @Test
  func `each side's index shares its cache line with no other data`() {
    // The processor fetches cache lines in pairs of 64 bytes.
    #expect(MemoryLayout<PaddedIndex>.size >= 8 + 2 * (128 - 8))
    #expect(MemoryLayout<CacheLinePadding>.size >= 128 - 8)
    // The ring has two indices, and the fields that locate the slots.
    let fields = 5 * MemoryLayout<Int>.size
    #expect(MemoryLayout<RingProducer<Int8>>.size >= fields + MemoryLayout<CacheLinePadding>.size)
    #expect(MemoryLayout<RingConsumer<Int8>>.size >= fields + MemoryLayout<CacheLinePadding>.size)
  }

  @Test func `a ring's capacity is rounded up to a power of two, within a memory limit`() {
    #expect(Ring<Int>.capacity(holding: 5, within: 1 << 20) == 8)
    #expect(Ring<Int>.capacity(holding: 8, within: 1 << 20) == 8)
    #expect(Ring<Int>.capacity(holding: 1, within: 0) == 1)
    #expect(Ring<Int32>.capacity(holding: 40_000, within: 1 << 20) == 1 << 16)
    #expect(Ring<Int>.capacity(holding: 40_000, within: 1 << 18) == 1 << 15)
  }

  @Test(.realTime) func `a capacity that is not a power of two causes a trap`() async {
    await #expect(processExitsWith: .failure) { _ = Ring<Int>.make(capacity: 3) }
    await #expect(processExitsWith: .failure) { _ = Ring<Int>.make(capacity: 0) }
  }

  /// Performs the operations on a ring and on an array. Returns a description of the first
  /// difference, or `nil` if there is none.
  private static func firstDifference(_ operations: [Operation], capacity: Int) -> String? {
    let ends = Ring<Int>.make(capacity: capacity)
    var producer = ends.producer
    var consumer = ends.consumer
    var model: [Int] = []
    var next = 0
    for (step, operation) in operations.enumerated() {
      switch operation {
      case .push:
        let isExpected = model.count < capacity
        guard producer.push(next) == isExpected else { return "push at step \(step)" }
        if isExpected { model.append(next) }
        next += 1
      case .pushTwo, .pushFive, .makeThree:
        let size = operation == .pushTwo ? 2 : operation == .pushFive ? 5 : 3
        let batch = Array(next..<(next + size))
        let expected = min(batch.count, capacity - model.count)
        let pushed =
          operation == .makeThree
          ? producer.push(size) { batch[$0] } : producer.push(batch.span)
        guard pushed == expected else { return "batch at step \(step)" }
        model += batch.prefix(expected)
        next += batch.count
      case .pop:
        let expected = model.isEmpty ? nil : model.removeFirst()
        guard consumer.pop() == expected else { return "pop at step \(step)" }
      case .drain, .drainTwo:
        let expected = operation == .drain ? model : Array(model.prefix(2))
        var drained: [Int] = []
        var parts = 0
        let count = consumer.drain(atMost: operation == .drain ? .max : 2) { part in
          parts += 1
          for index in part.indices { drained.append(part[index]) }
        }
        guard drained == expected, count == expected.count, parts <= 2 else {
          return "drain at step \(step)"
        }
        model.removeFirst(count)
      }
      guard producer.fillLevel >= model.count, producer.fillLevel <= capacity else {
        return "fill level at step \(step)"
      }
    }
    return nil
  }
}
