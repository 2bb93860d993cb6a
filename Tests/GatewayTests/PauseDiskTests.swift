import BoardDriver
import DiskFaults
import Gateway
import LinuxSystem
import Recording
import Simulation
import Storage
import TestSupport
import Testing
import Values

/// A disk that fills up while the recording is paused.
@Suite(.simulatedTime) struct PauseDiskTests {
  @Test(arguments: 0..<10)
  func `if the disk becomes full during a pause, every sample is in the tail or counted as lost`(
    _ moment: Int
  )
    async throws
  {
    let world = try FieldRecording.world()
    let disk = try SimulatedDisk()
    let path = disk.path + "/store.sqlite"
    var plan = RecordingPlan(
      bus: world.bus, boards: .addresses([world.boards[0].address]), receiver: nil, store: path,
      scanSeconds: 30)
    // The last chunk of samples from before the pause is sealed during the pause, and does not fit
    // on the disk.
    plan.settings.sealMinutes = 0.25
    let run = try RecordingRun(plan, log: { _ in })
    let task = Task { try await run.run() }
    try await wait(for: "samples") {
      let streams = run.liveStatus.boards.flatMap(\.streams)
      return !streams.isEmpty && streams.allSatisfy { $0.received > 300 }
    }
    try await Pause.seconds(Double(moment) * 0.0037)
    run.togglePause(at: BootClock.now())
    try await Pause.seconds(5)
    disk.fail(.full)
    let report = try await task.value
    let sent = world.boardCounts[0].samples
    #expect(report.totals.failure != nil)
    disk.heal()
    func lost() throws -> [[LossReason: UInt64]] {
      let session = try #require(try StoreReader(path: path).sessions().first)
      return try SessionSummary(of: session, in: path).streams.map(\.lost)
    }
    let told = report.totals.streams
    #expect(told.reduce(0) { $0 + $1.held + $1.lostCount } == sent)
    #expect(told.allSatisfy { $0.lost[.paused] ?? 0 > 1_000 && $0.stored == 0 })
    // The samples are in the tail at first. Once the next recorder has recovered them, they are in
    // the store.
    #expect(try lost() == told.map(\.lost))
    try Store.open(path: path).close()
    #expect(try lost() == told.map(\.lost))
    withExtendedLifetime(disk) {}
  }
}
