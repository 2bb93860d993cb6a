import RingBuffer
import TestSupport
import Testing

@Suite(.computation) struct ExampleTests {
  @Test func `the example in RingBuffer's documentation runs`() {
    let ends = Ring<UInt32>.make(capacity: 1_024)
    var producer = ends.producer
    var consumer = ends.consumer
    let isAdded = producer.push(7)
    var sum: UInt32 = 0
    consumer.drain { numbers in
      for index in numbers.indices { sum += numbers[index] }
    }
    #expect(isAdded)
    #expect(sum == 7)
  }
}
