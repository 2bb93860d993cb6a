import TestSupport
import Testing

@testable import BlueZ

/// Regression tests for faults that the radio once had.
@Suite(.computation) struct RadioRepairTests {
  @Test func `a daemon that exits while notifications are requested is a lost link, not a failure`()
  {
    for way in [SubscriptionWay.descriptor, .signals] {
      let refusal = Refusal(.daemonLost, "The name org.bluez was not provided")
      #expect(way.next(after: refusal, isNotifying: false) == .linkLost)
    }
  }
}
