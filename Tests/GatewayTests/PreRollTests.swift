import Recording
import TestSupport
import Testing
import Values

@testable import Gateway

@Suite(.computation) struct PreRollTests {
  private func reading(_ number: Int, stream: UInt8 = 0) -> Reading {
    Reading(
      board: 0, stream: stream, arrival: BootTime(nanoseconds: Int64(number) * 10_000_000),
      counter: UInt32(number))
  }

  @Test
  func `the pre-roll buffer stores readings in order and drops the oldest one block at a time`() {
    var preRoll = PreRoll()
    for number in 0..<5_000 { preRoll.add(reading(number)) }
    preRoll.forget(before: reading(3_000).arrival)
    let numbers = preRoll.readings.map { Int($0.counter) }
    #expect(numbers == Array(numbers[0]..<5_000))
    #expect(numbers[0] <= 3_000 && numbers[0] > 3_000 - 1_024)
    #expect(preRoll.start == reading(numbers[0]).arrival)
    preRoll.forget(before: reading(9_000).arrival)
    #expect(preRoll.isEmpty)
  }

  @Test func `the pre-roll buffer finds the newest sample that has a given number`() {
    var preRoll = PreRoll()
    for number in 0..<100 { preRoll.add(reading(number)) }
    // The board restarted, and its numbering started again.
    var again = reading(7)
    again.arrival = reading(200).arrival
    preRoll.add(again)
    preRoll.add(reading(8, stream: 1))
    func arrival(_ counter: UInt32) -> BootTime? {
      preRoll.arrival(of: WalkingWatch.Step(board: 0, stream: 0, counter: counter))
    }
    #expect(arrival(7) == again.arrival)
    #expect(arrival(8) == reading(8).arrival)
    #expect(arrival(100) == nil)
  }

  @Test func `the pre-roll buffer drops positions and events according to their own times`() {
    var preRoll = PreRoll()
    for number in 0..<10 {
      preRoll.add(PositionReport.noFix(arrival: reading(number).arrival))
      preRoll.add(SessionEvent(.battery, at: reading(number).arrival, value: 50))
    }
    preRoll.forget(before: reading(4).arrival)
    #expect(preRoll.reports.map(\.arrival) == (4..<10).map { reading($0).arrival })
    #expect(preRoll.events.map(\.time) == (4..<10).map { reading($0).arrival })
  }
}
