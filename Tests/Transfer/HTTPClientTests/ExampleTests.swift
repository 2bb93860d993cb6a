import Coding
import HTTPClient
import TestSupport
import Testing
import Values

/// The example from the library's documentation.
@Suite(.realTime) struct ExampleTests {
  @Test func `the example in HTTPClient's documentation runs`() async throws {
    let server = try await FaultServer.start()
    let address = server.url() + "/v1/sessions/5d3c0f4e-8a51-4d0c-9a63-0c1f2e3d4b5a"
    let body = Array("a walk".utf8)
    let digest =
      "sha-256=:" + String(decoding: Base64.encode(SHA256.hash(of: body)), as: UTF8.self) + ":"
    _ = try await makeClient().perform(
      HTTPRequest("PUT", address, fields: [.init("Content-Digest", digest)], body: body))
    let client = try HTTPClient()
    let answer = try await client.perform(HTTPRequest("GET", address))
    let text = answer.status == 200 ? String(decoding: answer.body, as: UTF8.self) : nil
    #expect(text == "a walk")
    await server.stop()
  }
}
