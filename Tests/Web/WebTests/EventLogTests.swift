import TestSupport
import Testing
@testable import Web

/// Events that are sent to all open pages.
@Suite(.computation) struct EventLogTests {
  private func text(_ event: (number: UInt64, bytes: [UInt8])?) -> String? {
    event.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test func `a page first gets the newest state, and then each later event once`() {
    let log = EventLog()
    #expect(log.next(after: 0) == nil)
    log.append(.columns, "columns", "1")
    // Before the first state, a page has nothing to start with.
    #expect(log.next(after: 0) == nil)
    log.append(.state, "status", "2")
    log.append(.columns, "columns", "3")
    log.beat()
    let first = log.next(after: 0)
    #expect(text(first) == "event: status\ndata: 2\n\n" && first?.number == 2)
    let second = log.next(after: 2)
    #expect(text(second) == "event: columns\ndata: 3\n\n" && second?.number == 3)
    #expect(text(log.next(after: 3)) == ": \n\n")
    #expect(log.next(after: 4) == nil)
  }

  @Test func `a slow page continues with the newest state, and no backlog accumulates`() {
    let log = EventLog()
    for number in 0..<1_000 {
      log.append(.columns, "columns", "\(number)")
      if number % 20 == 10 { log.append(.state, "status", "\(number)") }
    }
    #expect(text(log.next(after: 5)) == "event: status\ndata: 990\n\n")
    var taken = 0
    var last = log.next(after: 5)?.number
    while let number = last, let event = log.next(after: number) {
      taken += 1
      last = event.number
    }
    #expect(taken == 9)
  }
}
