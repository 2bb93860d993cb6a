import HTTPServer
import LinuxSystem
import TestSupport
import Testing

/// The example from the library's documentation.
@Suite(.realTime) struct ExampleTests {
  @Test func `the example in HTTPServer's documentation runs`() throws {
    struct Greeter: RequestHandler {
      func refusal(of head: RequestHead) -> ServerResponse? { nil }
      func refusal(for reason: ServerRefusal) -> ServerResponse { ServerResponse(503) }
      func handle(_ head: RequestHead, body: [UInt8], reply: PendingReply) {
        reply.give(ServerResponse(200, body: Array("hello".utf8)))
      }
    }
    let address = ListenAddress(host: "127.0.0.1", port: 0)
    let server = try HTTPServer(at: address, handler: Greeter())
    let answer = try RawConnection(port: server.address.port).ask("GET", "/")
    #expect(answer?.text == "hello")
    server.stop()
  }
}
