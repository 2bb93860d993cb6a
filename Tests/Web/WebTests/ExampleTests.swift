import LinuxSystem
import TestSupport
import Testing
import Values
import Web
import HTTPServer

/// The examples from the library's documentation.
@Suite(.computation) struct WebAccessExampleTests {
  @Test func `the example for Pairing runs`() throws {
    let now = BootTime(nanoseconds: 0)
    var pairing = Pairing()
    let pin = PIN()
    pairing.offer(pin, role: .operate, at: now)
    let role = try pairing.attempt(
      pin.revealed, from: "192.168.4.20", at: now.advanced(bySeconds: 30))
    #expect(role == .operate)
  }

  @Test func `the example for PairedDevices runs`() throws {
    let folder = try TemporaryFolder()
    let store = folder.path + "/walks.sqlite"
    let devices = PairedDevices(DeviceFile(besides: store))
    let token = try devices.pair("my phone", role: .look, at: nil)
    let phone = devices.device(of: [token], at: nil)
    #expect(phone?.name == "my phone")
  }

  @Test func `the example for RequestRule runs`() throws {
    let fields = [
      "Host": ["trail-1.local:8080"], "Origin": ["http://trail-1.local:8080"],
      "Content-Type": ["application/json"],
    ]
    let rule = RequestRule(HostRule(port: 8080, isEncrypted: false, computer: "trail-1"))
    let command = RequestFacts(method: "POST", isCall: true) { fields[$0] ?? [] }
    try rule.check(command, addresses: [])
  }
}

/// The example from the library's documentation.
@Suite(.computation) struct MapTilesExampleTests {
  @Test func `the example for maps runs`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/trail.mbtiles"
    try MadeMap().write(path)
    let map = try MapTiles(path)
    let zooms = map.facts.zooms
    let tile = try map.tile(zoom: 3, x: 4, y: 2)
    #expect(zooms == 1...3)
    #expect(tile?.format == .png)
  }
}

/// The example from the library's documentation.
@Suite(.computation) struct QRCodeExampleTests {
  @Test func `the example for a QR code runs`() {
    let code = QRCode("http://192.168.4.1:8080/")
    let picture = code?.text(.blocks, on: .dark)
    #expect(picture?.isEmpty == false)
  }
}

/// The example from `PageHandler`'s documentation.
@Suite(.realTime) struct WebServerExampleTests {
  @Test func `the example for the page runs`() throws {
    let folder = try TemporaryFolder(prefix: "footbridge-page")
    defer { folder.remove() }
    let content = ScriptedContent()
    let access = PageAccess(
      PairedDevices(DeviceFile(besides: "\(folder.path)/walks.sqlite")),
      HostRule(port: 8_080, isEncrypted: false, computer: "trail-1"))
    let address = ListenAddress(host: "127.0.0.1", port: 0)
    let handler = try PageHandler(content, access, version: "1.0.0")
    let server = try HTTPServer(at: address, limits: PageHandler.limits, handler: handler)
    #expect(server.address.port != 0)
    handler.stop()
    server.stop()
  }
}
