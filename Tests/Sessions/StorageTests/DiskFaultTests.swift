import DiskFaults
import Recording
import TestSupport
import Testing

@testable import Storage

/// A disk on which one write or sync fails, or every one from that operation on.
///
/// The failing operation moves forward by one operation at a time until a recording ends without
/// reaching it.
@Suite(.computation) struct DiskFaultTests {
  /// Makes one recording for each failing operation in turn, until a recording ends without
  /// reaching it. Checks the store after each recording, and returns the number of operations.
  private func forEachPosition(
    _ fault: SimulatedDisk.Fault, isLasting: Bool,
    record: (inout FaultRecording, SimulatedDisk) throws -> Void,
    difference: (FaultRecording, SimulatedDisk, Int) throws -> String?
  ) throws -> Int {
    var position = 0
    while true {
      let plan = SimulatedDisk.Plan(at: position, fault, isLasting: isLasting)
      let disk = try SimulatedDisk(plan, keeping: isLasting ? .nothing : .history)
      var recording = FaultRecording(path: disk.path + "/store")
      let found: String?
      do {
        try record(&recording, disk)
        guard disk.count > position else { return position }
        disk.heal()
        found =
          try disk.faults == 0
          ? nil
          : Self.wrongError(recording.errors, for: fault) ?? difference(recording, disk, position)
      } catch {
        found = "\(error)"
      }
      if let found {
        Issue.record("\(fault) at operation \(position): \(found)")
        return position
      }
      position += 1
    }
  }

  @Test(arguments: SimulatedDisk.Fault.allCases)
  func `whichever write or sync fails first, earlier commits are preserved`(
    fault: SimulatedDisk.Fault
  ) throws {
    let positions = try forEachPosition(fault, isLasting: true) { recording, _ in
      recording.recordUntilError()
    } difference: { recording, disk, _ in
      if recording.errors.isEmpty { return "no error was reported" }
      // The disk has been repaired, and recording starts again.
      return try FaultRecording.firstDifference(
        on: disk, recording.outcomes, isEnded: recording.isEnded)
    }
    #expect(positions > 100, "the recording writes more than that")
  }

  @Test(arguments: SimulatedDisk.Fault.allCases)
  func `if any single write or sync fails, the recording continues and is complete`(
    fault: SimulatedDisk.Fault
  ) throws {
    let positions = try forEachPosition(fault, isLasting: false) { recording, disk in
      try recording.recordThroughErrors { disk.heal() }
    } difference: { recording, disk, position in
      guard recording.outcomes.allSatisfy({ $0 == .stored }) else { return "a commit is missing" }
      guard position % 2 == 0 else {
        return try FaultRecording.firstDifference(
          on: disk, recording.outcomes, isEnded: recording.isEnded)
      }
      // In every second run, a power cut follows, which can lose the data of a failed sync.
      var state = FolderState()
      for operation in disk.history { state.apply(operation) }
      var random = SeededGenerator(seed: UInt64(position))
      let fate: FolderState.Fate = position % 4 == 0 ? .lost : .drawn
      let image = try SimulatedDisk(holding: state.image(fate, using: &random))
      return try FaultRecording.firstDifference(
        on: image, recording.outcomes, isEnded: recording.isEnded
      ).map { "after a power cut: \($0)" }
    }
    #expect(positions > 100, "the recording writes more than that")
  }

  /// Returns the text of the first error of an unexpected kind, or `nil` if there is none.
  private static func wrongError(
    _ errors: [StoreError], for fault: SimulatedDisk.Fault
  ) -> String? {
    let expected: Set<StoreError.Kind> = fault == .full ? [.full] : [.other, .cannotOpen]
    return errors.first { !expected.contains($0.kind) }.map { "\($0.kind): \($0.message)" }
  }
}
