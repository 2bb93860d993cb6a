import TestSupport
import Testing

@testable import BlueZ

/// Regression tests for bugs that were fixed in the notification requests.
@Suite(.computation) struct RadioRepairTests {
  @Test
  func `if the daemon exits during a notification request, the link is reported as lost`() {
    for way in [SubscriptionWay.descriptor, .signals] {
      let refusal = Refusal(.daemonLost, "The name org.bluez was not provided")
      #expect(way.next(after: refusal, isNotifying: false) == .linkLost)
    }
  }
}
