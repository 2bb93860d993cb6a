import DiskFaults
import LinuxSystem
import TestSupport
import Testing

@Suite(.realTime) struct SimulatedDiskTests {
  private let operations: [FileOperation] = [
    .create("a"), .write("a", at: 0, [1, 2, 3, 4]), .sync("a"), .syncFolder,
    .write("a", at: 4, [5, 6]), .truncate("a", length: 5), .sync("a"), .remove("a"),
  ]

  private func faults(_ plan: SimulatedDisk.Plan?) throws -> [SimulatedDisk.Fault?] {
    let disk = try SimulatedDisk(plan)
    return operations.map { disk.admit($0) }
  }

  @Test func `a disk without faults admits and records every operation`() throws {
    let disk = try SimulatedDisk(keeping: .history)
    let faults = operations.compactMap { disk.admit($0) }
    #expect(faults.isEmpty)
    #expect(disk.history == operations)
    #expect(disk.count == 6 && disk.faults == 0)
  }

  @Test
  func `a disk can be set to fail once, or at one sync and every later write, truncation and sync`()
    throws
  {
    #expect(
      try faults(.init(at: 2, .failure, isLasting: false))
        == [nil, nil, .failure, nil, nil, nil, nil, nil])
    #expect(
      try faults(.init(at: 2, .failure, isLasting: true))
        == [nil, nil, .failure, nil, .failure, .failure, .failure, nil])
  }

  @Test func `a full disk rejects new bytes and files, but can be synced`() throws {
    #expect(
      try faults(.init(at: 1, .full, isLasting: true))
        == [nil, .full, nil, nil, .full, nil, nil, nil])
    #expect(try faults(.init(at: 0, .full, isLasting: false)).first == .full)
  }

  @Test
  func `until the disk recovers, each operation fails and is recorded with its partial effect`()
    throws
  {
    let disk = try SimulatedDisk(.init(at: 1, .failure, isLasting: true), keeping: .history)
    let faults = operations.prefix(3).map { disk.admit($0) }
    #expect(faults == [nil, .failure, .failure])
    // Half of the write is in the file. Whether the failed sync took effect is unknown.
    #expect(
      disk.history == [.create("a"), .write("a", at: 0, [1, 2]), .sync("a", hasFailed: true)])
    #expect(disk.faults == 2)
    disk.heal()
    #expect(disk.admit(.sync("a")) == nil)
  }

  @Test func `a power cut may discard or keep unsynced writes and new files`() throws {
    let disk = try SimulatedDisk(holding: ["old": [9]], keeping: .content)
    for operation in operations.prefix(5) { #expect(disk.admit(operation) == nil) }
    #expect(disk.admit(.create("b")) == nil)
    var random = SystemRandomNumberGenerator()
    let content = try #require(disk.content)
    #expect(content.image(.lost, using: &random) == ["old": [9], "a": [1, 2, 3, 4]])
    #expect(
      content.image(.kept, using: &random) == ["old": [9], "a": [1, 2, 3, 4, 5, 6], "b": []])
  }

  @Test func `a sync stalls for the given time, and afterwards no stall is due`() throws {
    let disk = try SimulatedDisk()
    disk.stallNextSync(seconds: 0.05)
    let start = ContinuousClock.now
    #expect(disk.admit(.write("a", at: 0, [1])) == nil)
    #expect(disk.isStallDue)
    #expect(disk.admit(.sync("a")) == nil)
    #expect(ContinuousClock.now - start >= .milliseconds(50))
    #expect(!disk.isStallDue)
  }
}
