import HTTPClient
import Recording
import TestSupport
import Testing
import Upload
import Values

/// Answers of endpoints to somebody who reads sessions back.
@Suite(.computation) struct EndpointLibraryTests {
  /// Gives a list with one session, and answers every other request with the same.
  private struct Script: HTTPExchange {
    let answer: HTTPResponse

    func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
      guard request.url.hasSuffix("/v1/sessions") else { return answer }
      return HTTPResponse(
        status: 200, body: Array(#"{"sessions":[{"id":"\#(EndpointLibraryTests.session)"}]}"#.utf8))
    }
  }

  private static let session = UniqueID(high: 1, low: 2)

  private func answering(_ status: Int, _ body: String = "") -> EndpointLibrary {
    let answer = HTTPResponse(status: status, body: Array(body.utf8))
    return EndpointLibrary(
      url: "http://127.0.0.1:1", exchange: Script(answer: answer), token: nil)
  }

  @Test func `an endpoint without codes has no chunk and no track, and costs nothing else`()
    async throws
  {
    let endpoint = answering(404)
    let entry = try #require(try await endpoint.entries().entries.first)
    var reasons: [String] = []
    try await endpoint.chunks([UniqueID(high: 3, low: 4)], of: entry) { _, finding in
      if case .missing(let reason) = finding { reasons.append(reason) }
    }
    if case .missing(let reason) = try await endpoint.piece(from: 0, entry) {
      reasons.append(reason)
    }
    #expect(reasons == ["the endpoint does not have it", "the endpoint does not have it"])
    // Any server may say so of a record, which may be the first that is asked for.
    await #expect(throws: Setback.self) { try await endpoint.record(of: entry) }
    let coded = answering(404, #"{"error":{"code":"not-found","message":"no"}}"#)
    #expect(try await coded.record(of: entry) == nil)
  }

  @Test func `who may not read is told about reading`() async throws {
    let endpoint = answering(403)
    let entry = try #require(try await endpoint.entries().entries.first)
    let setback = await #expect(throws: Setback.self) { try await endpoint.record(of: entry) }
    #expect(setback?.reason == "the server does not let us read: HTTP 403")
    #expect(setback?.remedy.hasSuffix("and that it may read there") == true)
  }
}
