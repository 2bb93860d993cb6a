import BoardDriver
import DBus
import LinuxSystem
import Recording
import RingBuffer
import Simulation
import TestSupport
import Testing

@testable import BlueZ
@testable import Gateway

/// The state in which the next gateway finds the boards and the daemon after a gateway has crashed.
@Suite(.simulatedTime) struct FieldCrashTests {
  private struct NoOtherLink: Error {}

  /// Runs a gateway that streams from a board in the world, and crashes it.
  private func crash(_ world: SimulatedWorld) async throws {
    let radio = try await BlueZRadio(world.bus, Radio.Settings(shape: .metaWear))
    let link = try await radio.link(to: world.boards[0].address, Radio.Patience())
    let readings = Ring<Reading>.make(capacity: 1 << 14)
    let reader = try ReaderThread(into: readings.producer, bell: try WakeUp())
    let runner = BoardRunner(
      board: 0, link: BlueZLink(link: link), reader: reader, sensors: RecordingPlan.gait,
      reconnect: { throw NoOtherLink() }, report: { _ in })
    runner.start()
    let life = Task { await runner.run() }
    try await wait(for: "samples") { world.boardCounts[0].samples > 200 }
    // When a process ends, the kernel closes its connections and descriptors. No call announces the
    // exit.
    await radio.client.close()
    runner.stop()
    _ = await life.value
    reader.stop()
    let unheard = world.boardCounts[0].samplesUnheard
    try await wait(for: "a board that measures for nobody") {
      world.boardCounts[0].samplesUnheard > unheard + 20
    }
  }

  @Test func `process crash leaves board connected: the next gateway takes over the board's link`()
    async throws
  {
    let world = try FieldRecording.world()
    try await crash(world)
    let recording = try FieldRecording(world)
    try await recording.stream(100)
    let report = try await recording.finish()
    #expect(recording.events.contains("link found"))
    #expect(!recording.events.contains("connecting"), "its link was not made again")
    #expect(report.totals.streams.allSatisfy { $0.lost.isEmpty })
  }
}
