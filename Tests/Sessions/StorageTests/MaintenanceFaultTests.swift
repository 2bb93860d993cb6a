import DiskFaults
import Foundation
import Recording
@testable import Storage
import TestSupport
import Testing
import Values

/// A disk that fails or loses power during maintenance of a store. Afterwards, all data that must
/// be kept still exist.
@Suite(.computation) struct MaintenanceFaultTests {
  enum Work: CaseIterable {
    case compact, delete

    func run(_ path: String) throws(StoreError) {
      let maintenance = try StoreMaintenance(path: path)
      switch self {
      case .compact: _ = try maintenance.compact()
      case .delete:
        _ = try maintenance.delete(
          MaintenanceFaultTests.unwanted, at: UTCTime(nanoseconds: 1_777_887_000_000))
      }
    }
  }

  /// The session to be deleted. The other session must be kept.
  private static let unwanted = UniqueID(high: 88, low: 88)

  /// Creates a store with both sessions.
  private static func prepare(_ disk: SimulatedDisk) throws -> FaultRecording {
    var recording = FaultRecording(path: disk.path + "/store")
    recording.recordUntilError()
    try #require(recording.errors.isEmpty)
    var store = try Store.open(path: recording.path)
    var session = SampleRecording.session
    session.id = unwanted
    try store.begin(session)
    try store.addBoard(SampleRecording.board, session: unwanted)
    try store.addStream(
      SampleRecording.acceleration, board: SampleRecording.board.address, session: unwanted)
    var chunks = (0..<8).map { SampleRecording.chunk(UInt32($0), count: 40) }
    for index in chunks.indices { chunks[index].session = unwanted }
    try store.commit(chunks: chunks, fixes: SampleRecording.fixes, clock: SampleRecording.clock)
    try store.end(session: unwanted, at: BootTime(nanoseconds: 99_000_000_000))
    try store.close()
    return recording
  }

  @Test(arguments: Work.allCases)
  func `after a power cut during maintenance, the data that must be kept still exist`(work: Work)
    throws
  {
    let seed =
      ProcessInfo.processInfo.environment["FOOTBRIDGE_SEED"].flatMap { UInt64($0) }
      ?? .random(in: 0..<1_000_000)
    print("maintenance: FOOTBRIDGE_SEED=\(seed)")
    var random = SeededGenerator(seed: seed)
    let disk = try SimulatedDisk(keeping: .history)
    let recording = try Self.prepare(disk)
    let before = disk.historyCount
    try work.run(recording.path)
    let history = disk.history
    try #require(history.count > before + 10)
    var state = FolderState()
    for (number, operation) in history.enumerated() {
      state.apply(operation)
      guard number >= before else { continue }
      let image = try SimulatedDisk(
        holding: state.image(number % 4 == 0 ? .lost : .drawn, using: &random))
      if let difference = try Self.difference(on: image, recording) {
        Issue.record("seed \(seed), cut after operation \(number): \(difference)")
        return
      }
    }
    defer { withExtendedLifetime(disk) {} }
    let isGone = try StoreReader(path: recording.path).sessions().allSatisfy {
      $0.id != Self.unwanted
    }
    #expect(isGone == (work == .delete))
  }

  @Test(arguments: Work.allCases, SimulatedDisk.Fault.allCases)
  func `if any write or sync fails during maintenance, the data that must be kept still exist`(
    work: Work, fault: SimulatedDisk.Fault
  ) throws {
    let sound = try SimulatedDisk()
    let recording = try Self.prepare(sound)
    let files = ["store": [UInt8](try Data(contentsOf: URL(filePath: recording.path)))]
    var position = 0
    while true {
      let plan = SimulatedDisk.Plan(at: position, fault, isLasting: true)
      let disk = try SimulatedDisk(plan, holding: files)
      var failure: StoreError?
      do throws(StoreError) {
        try work.run(disk.path + "/store")
      } catch {
        failure = error
      }
      guard disk.count > position else { break }
      disk.heal()
      if let difference = try Self.difference(on: disk, recording) {
        Issue.record("\(work), \(fault) at operation \(position): \(difference)")
        return
      }
      if let failure, fault == .full, failure.kind != .full {
        Issue.record("\(work) at operation \(position): \(failure.kind): \(failure)")
      }
      position += 1
    }
    #expect(position > 10)
    withExtendedLifetime(sound) {}
  }

  private static func difference(
    on disk: SimulatedDisk, _ recording: FaultRecording
  ) throws -> String? {
    do throws(StoreError) {
      return try FaultRecording.firstDifference(on: disk, recording.outcomes, isEnded: true)
    } catch {
      return "\(error)"
    }
  }
}
