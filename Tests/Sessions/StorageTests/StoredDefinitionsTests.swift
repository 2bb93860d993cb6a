import DiskFaults
import LinuxSystem
import Recording
import TestSupport
import Testing
import Values

@testable import Storage

/// Definitions kept in the store, which are replaced as a whole or not at all.
@Suite(.computation) struct StoredDefinitionsTests {
  private func set(_ number: Int) -> StoredDefinitions {
    StoredDefinitions(
      source: "home", place: "http https://a.example",
      pulled: UTCTime(nanoseconds: 1_777_887_000_123_456_789 + Int64(number)), tag: "\"\(number)\"",
      content: "{\"format\":1,\"number\":\(number),\"text\":\""
        + String(repeating: "é\\n", count: 3_000) + "\"}")
  }

  @Test
  func `a set of definitions is read back unchanged, and storing it clears an earlier failure`()
    throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path + "/store"
    try Store.open(path: path).close()
    #expect(try StoreReader(path: path).definitions() == nil)
    #expect(try StoreEditor(path: path).forgetDefinitions() == false)
    let failure = FailedPull(time: UTCTime(nanoseconds: 5), reason: "away", remedy: "wait")
    try StoreEditor(path: path).note(failure)
    #expect(try StoreReader(path: path).failedPull() == failure)
    for number in 0..<2 {
      try StoreEditor(path: path).keep(set(number))
      #expect(try StoreReader(path: path).definitions() == set(number))
      #expect(try StoreReader(path: path).failedPull() == nil)
    }
    // A failed pull does not change the set.
    try StoreEditor(path: path).note(failure)
    #expect(try StoreReader(path: path).definitions() == set(1))
    #expect(try StoreEditor(path: path).forgetDefinitions())
    #expect(try StoreReader(path: path).definitions() == nil)
    #expect(try StoreReader(path: path).failedPull() == nil)
  }

  @Test(arguments: SimulatedDisk.Fault.allCases)
  func `whichever write or sync fails, the complete old set or the complete new set is stored`(
    fault: SimulatedDisk.Fault
  ) throws {
    var position = 0
    var failures = 0
    while true {
      let plan = SimulatedDisk.Plan(at: position, fault, isLasting: true)
      let disk = try SimulatedDisk(plan, keeping: .history)
      let path = disk.path + "/store"
      var kept: StoredDefinitions?
      var tried: StoredDefinitions?
      do throws(StoreError) {
        try Store.open(path: path).close()
        for number in 0..<3 {
          tried = set(number)
          try StoreEditor(path: path).keep(set(number))
          kept = tried
        }
      } catch {
        failures += 1
      }
      guard disk.count > position else { break }
      disk.heal()
      if StoreReader.exists(at: path) {
        let found = try StoreReader(path: path).definitions()
        #expect(found == kept || found == tried, "\(fault) at operation \(position)")
      }
      position += 1
    }
    #expect(failures > 10, "there are more writes than that")
  }
}
