import TestSupport
import Testing
import Values

@testable import Sharing

@Suite(.computation) struct LatestValuesTests {
  private let now = BootTime(nanoseconds: 5_000_000_000)

  @Test func `a value waiting to be sent to the broker is replaced by its topic's next value`() {
    var values = LatestValues()
    for value in UInt8(1)...9 { values.put([value], on: "a") }
    values.put([7], on: "b")
    #expect(values.next?.topic == "a" && values.next?.payload == [9])
    values.sent(as: 1, at: now)
    #expect(values.next?.topic == "b")
    values.sent(as: 2, at: now)
    #expect(values.next == nil && !values.isEmpty && values.oldest == now)
    // While one value is in transit, later values wait, and only the last of them is sent.
    values.put([10], on: "a")
    values.put([11], on: "a")
    #expect(values.next == nil)
    values.arrived(1)
    #expect(values.next?.payload == [11])
    values.sent(as: 3, at: now)
    values.arrived(3)
    values.arrived(2)
    values.arrived(99)
    #expect(values.isEmpty && values.oldest == nil)
  }

  @Test func `after a lost connection to the broker, the latest value is sent again`() {
    var values = LatestValues()
    values.put([1], on: "a")
    values.put([2], on: "b")
    values.sent(as: 1, at: now)
    values.sent(as: 2, at: now)
    values.put([3], on: "a")
    values.connectionLost()
    #expect(values.next?.payload == [3])
    values.sent(as: 1, at: now)
    #expect(values.next?.payload == [2])
    values.sent(as: 2, at: now)
    values.arrived(1)
    values.arrived(2)
    #expect(values.isEmpty)
  }

  @Test func `the number of values that the broker has not confirmed is limited`() {
    var values = LatestValues()
    for number in 0..<100 { values.put([1], on: "\(number)") }
    var count: Int32 = 0
    while values.next != nil {
      count += 1
      values.sent(as: count, at: now)
    }
    #expect(Int(count) == LatestValues.mostUnderWay)
    values.arrived(1)
    #expect(values.next != nil)
  }
}
