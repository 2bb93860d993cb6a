internal import LinuxSystem
internal import RingBuffer

/// Measures two rings between two threads, one ring per direction.
final class RingTrack: Sendable {
  /// The number of values pushed in one batch, which corresponds to a few milliseconds of data from
  /// ten boards.
  private static let batchLength = 250

  private let processors: (Int, Int)
  private let there: RestingRing
  private let back: RestingRing

  /// Creates rings for `capacity` numbers each and pins the threads to these processors.
  init(capacity: Int, on processors: (Int, Int)) {
    self.processors = processors
    there = RestingRing(capacity: capacity)
    back = RestingRing(capacity: capacity)
  }

  /// Sends numbers one by one from one thread to the other.
  func items(_ count: Int) throws(SystemError) -> Side.Work {
    let right = Guarded(0)
    let time = try ThreadPair.run(on: processors) { [there] in
      there.producer.use { Self.push(count, &$0) }
    } _: { [there] in
      there.consumer.use { consumer in
        let popped = Self.pop(count, &consumer)
        right.withLock { $0 = popped }
      }
    }
    return Side.Work(samples: right.withLock { $0 }, nanoseconds: time)
  }

  /// Sends numbers in batches, which are drained as they arrive.
  func batches(_ count: Int) throws(SystemError) -> Side.Work {
    let right = Guarded(0)
    let time = try ThreadPair.run(on: processors) { [there] in
      there.producer.use { Self.pushBatches(count, &$0) }
    } _: { [there] in
      there.consumer.use { consumer in
        let drained = Self.drain(count, &consumer)
        right.withLock { $0 = drained }
      }
    }
    return Side.Work(samples: right.withLock { $0 }, nanoseconds: time)
  }

  /// Sends single numbers back and forth between the threads.
  func roundTrips(_ count: Int) throws(SystemError) -> Side.Work {
    let right = Guarded(0)
    let time = try ThreadPair.run(on: processors) { [there, back] in
      there.producer.use { producer in
        back.consumer.use { consumer in
          let returned = Self.send(count, &producer, &consumer)
          right.withLock { $0 = returned }
        }
      }
    } _: { [there, back] in
      there.consumer.use { consumer in
        back.producer.use { Self.echo(count, &consumer, &$0) }
      }
    }
    return Side.Work(samples: right.withLock { $0 }, nanoseconds: time)
  }

  // MARK: The threads' work

  @inline(never)
  private static func push(_ count: Int, _ producer: inout RingProducer<Int32>) {
    for number in 0..<Int32(count) { while !producer.push(number) {} }
  }

  /// Receives numbers and returns how many arrived in order.
  @inline(never)
  private static func pop(_ count: Int, _ consumer: inout RingConsumer<Int32>) -> Int {
    for expected in 0..<Int32(count) where next(&consumer) != expected { return Int(expected) }
    return count
  }

  @inline(never)
  private static func pushBatches(_ count: Int, _ producer: inout RingProducer<Int32>) {
    var batch = [Int32](repeating: 0, count: batchLength)
    var first = 0
    while first < count {
      let length = min(batchLength, count - first)
      for place in 0..<length { batch[place] = Int32(truncatingIfNeeded: first &+ place) }
      var pushed = 0
      while pushed < length { pushed += producer.push(batch.span.extracting(pushed..<length)) }
      first += length
    }
  }

  /// Receives numbers. Returns `count` if all of them arrived in order, otherwise 0.
  @inline(never)
  private static func drain(_ count: Int, _ consumer: inout RingConsumer<Int32>) -> Int {
    var drained = 0
    var difference: Int32 = 0
    while drained < count {
      consumer.drain { part in
        let first = Int32(truncatingIfNeeded: drained)
        for place in part.indices {
          difference |= part[place] ^ (first &+ Int32(truncatingIfNeeded: place))
        }
        drained += part.count
      }
    }
    return difference == 0 ? drained : 0
  }

  /// Sends numbers and returns how many came back in order.
  @inline(never)
  private static func send(
    _ count: Int, _ producer: inout RingProducer<Int32>, _ consumer: inout RingConsumer<Int32>
  ) -> Int {
    for number in 0..<Int32(count) {
      while !producer.push(number) {}
      if next(&consumer) != number { return Int(number) }
    }
    return count
  }

  @inline(never)
  private static func echo(
    _ count: Int, _ consumer: inout RingConsumer<Int32>, _ producer: inout RingProducer<Int32>
  ) {
    for _ in 0..<count {
      let number = next(&consumer)
      while !producer.push(number) {}
    }
  }

  @inline(__always)
  private static func next(_ consumer: inout RingConsumer<Int32>) -> Int32 {
    while true {
      if let number = consumer.pop() { return number }
    }
  }
}

/// A ring that is idle between measurements. Its ends are passed to new threads.
private struct RestingRing: Sendable {
  let producer: RestingEnd<RingProducer<Int32>>
  let consumer: RestingEnd<RingConsumer<Int32>>

  init(capacity: Int) {
    let ends = Ring<Int32>.make(capacity: capacity)
    producer = RestingEnd(ends.producer)
    consumer = RestingEnd(ends.consumer)
  }
}

/// One end of an idle ring. A thread takes it, uses it exclusively, and puts it back.
private final class RestingEnd<End: ~Copyable & Sendable>: Sendable {
  private let held: Guarded<End?>

  init(_ end: consuming End) {
    held = Guarded(end)
  }

  func use(_ body: (inout End) -> Void) {
    let taken = held.withLock { held in
      var taken: End? = nil
      swap(&taken, &held)
      return taken
    }
    guard var end = taken else { preconditionFailure("only one thread at a time may use each end") }
    body(&end)
    let hands = HandOver(end)
    held.withLock { $0 = hands.take() }
  }
}
