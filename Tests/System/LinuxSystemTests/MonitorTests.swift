import LinuxSystem
import TestSupport
import Testing

@Suite(.realTime) struct MonitorTests {
  @Test func `a waiting thread is woken by the change that it waits for`() throws {
    let monitor = Monitor(0)
    let thread = try NamedThread("counting") {
      for _ in 0..<1_000 { monitor.change { $0 += 1 } }
    }
    let seen = monitor.wait { $0 >= 1_000 ? $0 : nil }
    thread.join()
    #expect(seen == 1_000)
    #expect(monitor.withLock { $0 } == 1_000)
  }

  @Test func `a wait with a timeout ends even without a change`() {
    let monitor = Monitor(0)
    let seen = monitor.wait(seconds: 0.01) { $0 > 0 ? $0 : nil }
    #expect(seen == nil)
    #expect(monitor.wait(seconds: 0) { $0 == 0 ? 7 : nil } == 7)
  }
}
