import Foundation
import LinuxSystem
import TestSupport
import Testing
import Values

@Suite(.realTime) struct BootClockTests {
  @Test func `the boot clock never steps back`() {
    var last = BootClock.now()
    for _ in 0..<10_000 {
      let now = BootClock.now()
      if now < last { Issue.record("\(now) after \(last)") }
      last = now
    }
  }

  @Test func `both clocks of a pair are read at the same instant`() {
    let before = BootClock.now()
    let pair = BootClock.pair()
    let after = BootClock.now()
    #expect(pair.boot >= before && pair.boot <= after)
    // A second pair has the same difference, unless the system clock was changed in the meantime.
    let other = BootClock.pair()
    let drift =
      (other.utc.nanoseconds - pair.utc.nanoseconds)
      - (other.boot.nanoseconds - pair.boot.nanoseconds)
    #expect(abs(drift) < 5_000_000)
  }

  @Test func `the system clock agrees with the standard library's`() {
    let difference =
      Double(BootClock.systemTime().nanoseconds) / 1e9 - Date().timeIntervalSince1970
    #expect(abs(difference) < 1)
  }

  @Test func `the boot id equals the kernel's boot id and does not change`() throws {
    let text = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    let id = try BootClock.bootID()
    #expect(id.description == text.trimmingCharacters(in: .whitespacesAndNewlines))
    #expect(try BootClock.bootID() == id)
  }
}
