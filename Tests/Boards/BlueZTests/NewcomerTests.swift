import BlueZ
import DBus
import LinuxSystem
import Simulation
import TestSupport
import Testing

/// A daemon that has just started and is too busy to reply.
@Suite(.realTime) struct NewcomerTests {
  @Test func `a restarted daemon that ignores the first request for its objects is queried again`()
    async throws
  {
    let field = try await Field()
    field.world.inject(.noReply(.getManagedObjects))
    field.world.inject(.daemonGone(seconds: 0.3))
    try await wait(for: "the daemon goes") { await !field.radio.sight.isDaemonPresent }
    try await wait(for: "its objects are known again") { await field.radio.sight.isDaemonPresent }
    // The call has no time limit, because the radio may notice the daemon's return slightly later
    // than this test does.
    let link = try await field.radio.link(to: field.world.boards[0].address)
    #expect(link.device.isConnected)
    await field.radio.close()
  }

  @Test func `a task can be cancelled while the daemon ignores the first request for its objects`()
    async throws
  {
    let field = try await Field()
    field.world.inject(.noReply(.getManagedObjects))
    let outcome = Guarded<String?>(nil)
    let work = Task { [bus = field.world.busAddress] in
      do {
        _ = try await BlueZRadio(.at(bus), Radio.Settings(shape: Field.shape))
        outcome.withLock { $0 = "connected" }
      } catch {
        outcome.withLock { $0 = "failed" }
      }
    }
    try await Task.sleep(for: .milliseconds(300))
    work.cancel()
    try await wait(for: "the end") { outcome.withLock { $0 != nil } }
    #expect(outcome.withLock { $0 } == "failed")
    await field.radio.close()
  }
}
