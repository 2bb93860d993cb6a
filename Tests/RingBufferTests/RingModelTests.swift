import RingBuffer
import Testing

/// The ring against a plain array, in every order of operations there is up to a length.
@Suite struct RingModelTests {
  enum Operation: CaseIterable {
    case push, pushTwo, pushFive, pop, drain
  }

  static let length = 7

  @Test(arguments: [1, 2, 4])
  func `in any order of operations the ring is a queue of its capacity`(_ capacity: Int) {
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

  @Test func `what does not fit is refused and what is there stays`() {
    let ends = Ring<Int>.make(capacity: 2)
    var producer = ends.producer
    var consumer = ends.consumer
    let outcomes = [producer.push(1), producer.push(2), producer.push(3)]
    #expect(outcomes == [true, true, false])
    let taken = [consumer.pop(), consumer.pop(), consumer.pop()]
    #expect(taken == [1, 2, nil])
  }

  @Test func `an element of many bytes comes out whole`() {
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

  @Test func `a ring tells its capacity and how full it is at most`() {
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

  @Test func `a capacity that is no power of two is our own mistake`() async {
    await #expect(processExitsWith: .failure) { _ = Ring<Int>.make(capacity: 3) }
    await #expect(processExitsWith: .failure) { _ = Ring<Int>.make(capacity: 0) }
  }

  /// Runs the operations on a ring and on an array; the first that differ, in words.
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
      case .pushTwo, .pushFive:
        let batch = Array(next..<(next + (operation == .pushTwo ? 2 : 5)))
        let expected = min(batch.count, capacity - model.count)
        guard producer.push(batch.span) == expected else { return "batch at step \(step)" }
        model += batch.prefix(expected)
        next += batch.count
      case .pop:
        let expected = model.isEmpty ? nil : model.removeFirst()
        guard consumer.pop() == expected else { return "pop at step \(step)" }
      case .drain:
        var drained: [Int] = []
        var parts = 0
        let count = consumer.drain { part in
          parts += 1
          for index in part.indices { drained.append(part[index]) }
        }
        guard drained == model, count == model.count, parts <= 2 else {
          return "drain at step \(step)"
        }
        model.removeAll(keepingCapacity: true)
      }
      guard producer.fillLevel >= model.count, producer.fillLevel <= capacity else {
        return "fill level at step \(step)"
      }
    }
    return nil
  }
}
