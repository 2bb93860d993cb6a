import Firestore
import HTTPClient
import LinuxSystem
import TestSupport
import Testing
import Upload

/// Answers every request with an empty result, as a database without sessions does.
private final class Script: HTTPExchange {
  let urls = Guarded<[String]>([])

  func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
    urls.withLock { $0.append(request.url) }
    return HTTPResponse(status: 200, body: Array("[]".utf8))
  }
}

/// The example of the library's documentation.
@Suite(.computation) struct ExampleTests {
  @Test func `the example of Firestore runs`() async throws {
    let exchange = Script()
    let place = FirestorePlace(project: "demo", layout: .compact, gateway: "pi-1")
    let destination = FirestoreDestination(
      place, credentials: .none, over: exchange,
      environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:8080"])
    let setback = await destination.test()
    #expect(setback == nil)
    let url = try #require(exchange.urls.withLock { $0 }.last)
    #expect(url.contains("/projects/demo/databases/"))
    #expect(url.hasSuffix("/documents:runQuery"))
  }
}
