import DBus
import Gateway
import LinuxSystem
import Recording
import Simulation
import Storage
import TestSupport
import Testing

/// The example from the library's documentation.
@Suite(.realTime) struct ExampleTests {
  @Test func `the example in Gateway's documentation runs`() async throws {
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    let bus = BusAddress.at(world.busAddress)
    let folder = try TemporaryFolder()
    let path = folder.path + "/store.sqlite"
    let plan = RecordingPlan(
      bus: bus, boards: .any(count: 1), receiver: nil, store: path, seconds: 1)
    let run = try RecordingRun(plan, log: { _ in })
    let report = try await run.run()
    #expect(report.failure == nil)
    #expect(report.hasSamples)
    let sessions = try StoreReader(path: path).sessions()
    #expect(sessions.map(\.id) == [report.session])
    world.stop()
  }
}
