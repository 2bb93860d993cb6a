import DiskFaults
import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing

@testable import Storage

/// A power cut during a recording.
///
/// Any subset of the unsynced writes may be on the disk, each complete or torn at a multiple of 512
/// bytes.
@Suite(.computation) struct PowerCutTests {
  /// A recording with its file operations, and the position among these operations at which each
  /// commit returned.
  private struct Run {
    var history: [FileOperation] = []
    /// For each commit, the number of operations that were complete when it returned.
    var storedAfter = [Int](repeating: .max, count: FaultRecording.commits.count)

    init() throws {
      let disk = try SimulatedDisk(keeping: .history)
      var recording = FaultRecording(path: disk.path + "/store")
      var storedAfter = self.storedAfter
      recording.onStored = { storedAfter[$0] = disk.historyCount }
      recording.recordUntilError()
      try #require(recording.errors.isEmpty && recording.isEnded)
      self.storedAfter = storedAfter
      history = disk.history
    }

    /// Returns the outcome of each commit if the power is cut after this many operations.
    func outcomes(after count: Int) -> [FaultRecording.Outcome] {
      storedAfter.map { $0 <= count ? .stored : .refused }
    }
  }

  @Test func `after a power cut at any point, each earlier commit is stored exactly once`()
    throws
  {
    let environment = ProcessInfo.processInfo.environment
    let rounds = environment["FOOTBRIDGE_ROUNDS"].flatMap { Int($0) } ?? 1
    let seed =
      environment["FOOTBRIDGE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
    print("power cuts: FOOTBRIDGE_SEED=\(seed)")
    var random = SeededGenerator(seed: seed)
    let run = try Run()
    var state = FolderState()
    var cuts = 0
    for count in 0...run.history.count {
      if count > 0 { state.apply(run.history[count - 1]) }
      // The disk contains none of the unsynced data, or a random subset of them.
      let fates: [FolderState.Fate] = [count % 4 == 0 ? .lost : .drawn]
      for fate in fates + [FolderState.Fate](repeating: .drawn, count: rounds - 1) {
        let image = try SimulatedDisk(holding: state.image(fate, using: &random))
        cuts += 1
        let difference: String?
        do {
          difference = try FaultRecording.firstDifference(
            on: image, run.outcomes(after: count), isEnded: false)
        } catch {
          difference = "\(error)"
        }
        if let difference {
          Issue.record("seed \(seed), cut after operation \(count), \(fate): \(difference)")
          return
        }
      }
    }
    print("power cuts: \(cuts), nothing committed lost")
  }

  @Test func `without its syncs, the same recording would lose commits in a power cut`() throws {
    // This is a check of the simulated disk. If the disk kept data without a sync, the test above
    // would prove nothing.
    let run = try Run()
    var random = SeededGenerator(seed: 1)
    var state = FolderState()
    for operation in run.history {
      if case .sync = operation { continue }
      state.apply(operation)
    }
    let image = try SimulatedDisk(holding: state.image(.lost, using: &random))
    let difference = try FaultRecording.firstDifference(
      on: image, run.outcomes(after: run.history.count), isEnded: false)
    #expect(difference != nil)
  }
}
