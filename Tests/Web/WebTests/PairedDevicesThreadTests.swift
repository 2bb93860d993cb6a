import LinuxSystem
import TestSupport
import Testing
import Values
import Web

@Suite(.realTime) struct PairedDevicesThreadTests {
  @Test func `no change is lost when threads pair devices at the same time`() async throws {
    let folder = try TemporaryFolder()
    let file = DeviceFile(besides: folder.path + "/walks.sqlite")
    let shared = PairedDevices(file)
    try await withThrowingTaskGroup { group in
      for seed in UInt64(1)...4 {
        // Two objects that use the same file, as in two processes.
        let devices = seed < 3 ? shared : PairedDevices(file)
        group.addTask {
          for round in 0..<8 {
            let name = "\(seed)-\(round)"
            let token = try devices.pair(name, role: .look, at: nil)
            #expect(devices.device(of: [token], at: nil)?.name == name)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(shared.list.count == 32)
    #expect(PairedDevices(file).list.count == 32)
  }
}
