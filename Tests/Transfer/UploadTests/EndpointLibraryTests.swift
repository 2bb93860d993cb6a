import Foundation
import HTTPClient
import LinuxSystem
import Recording
import TestSupport
import Testing
import UploadProtocol
import Upload
import Values

/// Responses that a client may get when it reads sessions back from an endpoint.
@Suite(.computation) struct EndpointLibraryTests {
  /// Lists one session, and gives the same response to every other request.
  private struct Script: HTTPExchange {
    let answer: HTTPResponse
    var list: [UInt8]?

    func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
      guard request.url.hasSuffix("/v1/sessions") || request.url.hasSuffix("?summary=true") else {
        return answer
      }
      let usual = Array(#"{"sessions":[{"id":"\#(EndpointLibraryTests.session)"}]}"#.utf8)
      return HTTPResponse(status: 200, body: list ?? usual)
    }
  }

  private static let session = UniqueID(high: 1, low: 2)

  private func answering(
    _ status: Int, _ body: String = "", list: [UInt8]? = nil, token: SecretFile? = nil
  ) -> EndpointLibrary {
    let answer = HTTPResponse(status: status, body: Array(body.utf8))
    return EndpointLibrary(
      url: "http://127.0.0.1:1", exchange: Script(answer: answer, list: list), token: token)
  }

  @Test func `listing sessions reads no record if the endpoint sends summaries`()
    async throws
  {
    var session = SampleChunk.session
    session.id = Self.session
    let record = SessionRecord(session: session)
    var held = HeldSession(
      id: session.id, chunks: 7, fixes: 0, hasRecord: true, summary: RecordSummary(of: record))
    func found(_ held: HeldSession, _ answer: (Int, String)) async throws -> RecordSummary? {
      let list = SessionList([held], hasMore: false).encoded(withSummaries: true)
      let endpoint = answering(answer.0, answer.1, list: list)
      let entries = try await endpoint.entries(withSummaries: true).entries
      #expect(entries == [held])
      let summaries = try await endpoint.summaries(of: entries)
      guard case .found(let summary)? = summaries.first else { return nil }
      return summary
    }
    // This endpoint rejects every other request.
    #expect(try await found(held, (403, "")) == held.summary)
    // An older endpoint lists no summaries, so the record is read.
    let summary = held.summary
    held.summary = nil
    let text = String(decoding: record.encoded, as: UTF8.self)
    #expect(try await found(held, (200, text)) == summary)
  }

  @Test func `a listed session with an invalid id causes an error`() async throws {
    let list = Array(#"{"sessions":[{"id":"\#(Self.session)"},{"id":"fee6b130"}]}"#.utf8)
    let endpoint = answering(404, list: list)
    let setback = await #expect(throws: Setback.self) { try await endpoint.entries() }
    #expect(setback?.reason.contains("sessions[1].id") == true)
  }

  @Test
  func `a 404 without an error code means a missing chunk or track, but not a missing record`()
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
    // Any server may give this response, and the request for a record may be the first one that the
    // server gets.
    await #expect(throws: Setback.self) { try await endpoint.record(of: entry) }
    let coded = answering(404, #"{"error":{"code":"not-found","message":"no"}}"#)
    #expect(try await coded.record(of: entry) == nil)
  }

  @Test func `many sessions with long notes do not displace another session's summary`() throws {
    func held(_ number: UInt64, note: String) -> HeldSession {
      let id = UniqueID(high: 1, low: number)
      let session = Session(
        id: id, bootID: id, start: BootTime(nanoseconds: 1), note: note)
      return HeldSession(
        id: id, chunks: 0, fixes: 0, hasRecord: true,
        summary: RecordSummary(of: SessionRecord(session: session)))
    }
    let long = String(repeating: "👣", count: 2_000)
    let sessions = (0..<1_200).map { held($0, note: long) } + [held(2_000, note: "short")]
    let bytes = SessionList(sessions, hasMore: false).encoded(withSummaries: true)
    #expect(bytes.count < 9 << 20)
    let list = try SessionList(decoding: bytes).sessions
    #expect(list.map(\.id) == sessions.map(\.id))
    #expect(list.last?.summary == sessions.last?.summary)
    #expect(list[0].summary != nil && list[1_199].summary == nil)
  }

  @Test func `the error for a rejected read names the permission and the token`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/token"
    try #require(
      FileManager.default.createFile(
        atPath: file, contents: Data("wrong".utf8), attributes: [.posixPermissions: 0o600]))
    for status in [401, 403] {
      for (token, remedy) in [
        (nil, "add --token-file FILE with a token that permits reading"),
        (
          SecretFile(file, credentials: nil),
          "check that the token in \(file) is correct and permits reading"
        ),
      ] {
        let endpoint = answering(status, token: token)
        let entry = try #require(try await endpoint.entries().entries.first)
        let setback = await #expect(throws: Setback.self) { try await endpoint.record(of: entry) }
        #expect(setback?.reason == "the server does not permit reading: HTTP \(status)")
        #expect(setback?.remedy == remedy)
      }
    }
  }
}
