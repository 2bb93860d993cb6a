import BlueZ
import Simulation
import TestSupport
import Testing

/// A daemon that has just come is busy with other things than our questions.
@Suite(.realTime) struct NewcomerTests {
  @Test func `a daemon that returns and does not answer the first listing is asked again`()
    async throws
  {
    let field = try await Field()
    field.world.inject(.noReply(.getManagedObjects))
    field.world.inject(.daemonGone(seconds: 0.3))
    try await wait(for: "the daemon goes") { await !field.radio.sight.isDaemonPresent }
    try await wait(for: "its objects are known again") { await field.radio.sight.isDaemonPresent }
    // Without patience: the radio hears of the return a moment after we do.
    let link = try await field.radio.link(to: field.world.boards[0].address)
    #expect(link.device.isConnected)
    await field.radio.close()
  }
}
