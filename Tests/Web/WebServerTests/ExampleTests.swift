import HTTPServer
import LinuxSystem
import TestSupport
import Testing
import WebAccess
import WebServer

/// The example in the documentation of `PageHandler`.
@Suite(.realTime) struct ExampleTests {
  @Test func `the example of WebServer runs`() throws {
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
