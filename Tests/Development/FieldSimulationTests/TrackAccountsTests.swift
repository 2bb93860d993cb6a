import Recording
import Simulation
import TestSupport
import Testing
import Values

@testable import FieldSimulation

/// The check of positions. It must report every fault, but none for a correct track.
@Suite(.computation) struct TrackAccountsTests {
  /// Returns one minute of positions, one per second, all stored.
  private func accounts() -> TrackAccounts {
    var sky = SkyLog()
    var fixes: [Fix] = []
    sky.changed(at: 0)
    for second in 1...60 {
      let place = WalkRoute().position(at: Double(second))
      let utc = UTCTime(nanoseconds: Int64(second) * 1_000_000_000)
      sky.take(utc, place, at: Double(second))
      fixes.append(
        Fix(
          arrival: BootTime(nanoseconds: utc.nanoseconds), utc: utc, latitude: place.latitude,
          longitude: place.longitude))
    }
    return TrackAccounts(sky: sky, fixes: fixes, start: 0, end: 61, hadDiskFault: false)
  }

  private func broken(_ change: (inout TrackAccounts) -> Void) -> Bool {
    var accounts = accounts()
    change(&accounts)
    let found = accounts.violations(at: 61)
    return !found.isEmpty && found.allSatisfy { $0.invariant == .positions }
  }

  @Test func `a complete track breaks no invariant`() {
    #expect(!broken { _ in })
  }

  @Test func `a position that is missing, stored twice or displaced is reported`() {
    #expect(broken { $0.fixes.remove(at: 30) })
    #expect(broken { $0.fixes.insert($0.fixes[30], at: 30) })
    #expect(broken { $0.fixes[30].latitude += 0.000_01 })
    #expect(broken { $0.fixes.swapAt(30, 31) })
  }

  @Test func `positions may be missing while the port is opened and in the last seconds`() {
    #expect(!broken { $0.fixes.removeFirst(8) })
    #expect(broken { $0.fixes.removeFirst(9) })
    #expect(!broken { $0.fixes.removeLast(2) })
    #expect(broken { $0.fixes.removeLast(3) })
  }
}
