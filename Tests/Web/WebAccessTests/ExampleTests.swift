import LinuxSystem
import TestSupport
import Testing
import Values
import WebAccess

/// The examples of the library's documentation.
@Suite(.computation) struct ExampleTests {
  @Test func `the example of Pairing runs`() throws {
    var generator = SeededGenerator(seed: 1)
    let now = BootTime(nanoseconds: 0)
    var pairing = Pairing()
    let pin = PIN(using: &generator)
    pairing.offer(pin, role: .operate, at: now)
    let role = try pairing.attempt(
      pin.revealed, from: "192.168.4.20", at: now.advanced(bySeconds: 30))
    #expect(role == .operate)
  }

  @Test func `the example of PairedDevices runs`() throws {
    let folder = try TemporaryFolder()
    let store = folder.path + "/walks.sqlite"
    var generator = SeededGenerator(seed: 1)
    let devices = PairedDevices(DeviceFile(besides: store))
    let token = try devices.pair("my phone", role: .look, at: nil, using: &generator)
    let phone = devices.device(of: [token], at: nil)
    #expect(phone?.name == "my phone")
  }

  @Test func `the example of RequestRule runs`() throws {
    let fields = [
      "Host": ["trail-1.local:8080"], "Origin": ["http://trail-1.local:8080"],
      "Content-Type": ["application/json"],
    ]
    let rule = RequestRule(HostRule(port: 8080, isEncrypted: false, computer: "trail-1"))
    let command = RequestFacts(method: "POST", isCall: true) { fields[$0] ?? [] }
    try rule.check(command, addresses: [])
  }
}
