import TestSupport
import Testing
import Values

@testable import Gateway

@Suite(.computation) struct RepeatedReasonTests {
  private func time(_ seconds: Double) -> BootTime {
    BootTime(nanoseconds: 0).advanced(bySeconds: seconds)
  }

  @Test
  func `logged reasons are considered equal if they differ only in numbers outside addresses`() {
    var reason = RepeatedReason()
    let told = ["1 MB are free", "2 MB are free", "no C8:4B:AA", "no C8:4B:AB"].map {
      reason.tells($0, at: time(1))
    }
    #expect(told == [true, false, true, true])
  }

  @Test func `a repeated reason is logged once every five minutes, and a new reason at once`() {
    var reason = RepeatedReason()
    let told = stride(from: 0.0, through: 600, by: 25).filter {
      reason.tells("no adapter", at: time($0))
    }
    #expect(told == [0, 300, 600])
    let others = [("no bus", 601.0), ("no bus", 602), ("no adapter", 603)].map {
      reason.tells($0, at: time($1))
    }
    #expect(others == [true, false, false])
  }
}
