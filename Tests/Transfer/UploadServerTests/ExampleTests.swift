import HTTPServer
import LinuxSystem
import SessionFolder
import TestSupport
import Testing
import UploadServer

/// The example from the library's documentation.
@Suite(.realTime) struct ExampleTests {
  @Test func `the example in UploadServer's documentation runs`() async throws {
    let folder = try TemporaryFolder()
    let (path, token) = (folder.path, "0123456789abcdef")
    let handler = try await UploadHandler(.token(token)) { try FolderIntake(folder: path) }
    let address = ListenAddress(host: "127.0.0.1", port: 0)
    let server = try HTTPServer(at: address, handler: handler)
    let client = try RawConnection(port: server.address.port)
    let answer = client.ask("GET", "/v1/", fields: [("Authorization", "Bearer \(token)")])
    #expect(answer?.status == 200)
    let stranger = try RawConnection(port: server.address.port).ask("GET", "/v1/")
    #expect(stranger?.status == 401)
    server.stop()
    handler.stop()
  }
}
