import LinuxSystem
import Positioning
import Recording
import TestSupport
import Testing

@Suite(.realTime) struct ExampleTests {
  @Test func `the example in Positioning's documentation runs`() async throws {
    let latest = Guarded<Fix?>(nil)
    let place = PositionSource.FixedPosition(latitude: 53.168, longitude: 9.94)
    let receiver = try ReceiverThread(.fixed(place), reports: nil, recorder: nil) { event in
      if case .report(.fix(let fix)) = event { latest.withLock { $0 = fix } }
    }
    try await wait(for: "a fix") { latest.withLock { $0 } != nil }
    receiver.stop()
    #expect(latest.withLock { $0 }?.latitude == 53.168)
  }
}
