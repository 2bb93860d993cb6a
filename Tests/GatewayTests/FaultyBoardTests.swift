import DBus
import Gateway
import LinuxSystem
import Simulation
import TestSupport
import Testing
import Values

@Suite(.simulatedTime) struct FaultyBoardTests {
  @Test func `every sample that a fault destroys is counted as lost`() async throws {
    let folder = try TemporaryFolder()
    let world = try SimulatedWorld(boards: 1, hasReceiver: false)
    let run = try RecordingRun(
      RecordingPlan(
        bus: world.bus, boards: .any(count: 1), receiver: nil,
        store: folder.path + "/store.sqlite", seconds: 3, scanSeconds: 15),
      log: { _ in })
    let recording = Task { try await run.run() }
    func received(_ count: Int) async throws {
      try await wait(for: "samples") {
        run.liveStatus.boards.first?.streams.first?.received ?? 0 >= count
      }
    }
    try await received(50)
    world.inject(.drop(count: 7), into: 0)
    try await received(80)
    world.inject(.dropAll(seconds: 0.3), into: 0)
    world.inject(.delay(seconds: 0.5), into: 0)
    let report = try await recording.value
    #expect(report.failure == nil)
    let counts = try #require(world.boardCounts.first)
    #expect(counts.samplesLost > 40)
    let stored = report.totals.streams.reduce(0) { $0 + $1.stored }
    let lost = report.totals.streams.reduce(0) { $0 + $1.lost.values.reduce(0, +) }
    #expect(counts.samples == stored + counts.samplesLost)
    #expect(lost == counts.samplesLost)
  }

  @Test
  func `a board that loses its link before the others are ready is still recorded`()
    async throws
  {
    let folder = try TemporaryFolder()
    let world = try SimulatedWorld(boards: 2, hasReceiver: false)
    let isFaulty = Guarded(true)
    let run = try RecordingRun(
      RecordingPlan(
        bus: world.bus, boards: .any(count: 2), receiver: nil,
        store: folder.path + "/store.sqlite", seconds: 1, scanSeconds: 15),
      log: { remark in
        guard remark.event == "ready", isFaulty.withLock({ $0 }) else { return }
        isFaulty.withLock { $0 = false }
        let address = remark.details.first { $0.name == "board" }?.value
        for (index, board) in world.boards.enumerated()
        where board.address.description == address {
          world.inject(.disconnect, into: index)
        }
      })
    let report = try await run.run()
    #expect(report.failure == nil)
    #expect(report.boards.map(\.lostLinks).reduce(0, +) == 1)
    #expect(report.totals.streams.count == 4)
    #expect(report.totals.streams.allSatisfy { $0.stored > 0 })
  }
}
