import Coding
import Foundation
import HTTPClient
import LinuxSystem
import Recording
import TestSupport
import Testing
import UploadProtocol
import Upload
import Values

/// The messages and remedies for failed uploads and downloads, depending on the server's response
/// or the state of the folder.
@Suite(.realTime) struct UploadFailureTests {
  /// Gives the same response to every request.
  private struct Script: HTTPExchange {
    let answer: HTTPResponse

    init(_ status: Int, _ body: String, digest: [UInt8]? = nil) {
      let fields = digest.map { [HTTPRequest.Field("content-digest", ContentDigest.text($0))] }
      answer = HTTPResponse(status: status, fields: fields ?? [], body: Array(body.utf8))
    }

    func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse { answer }
  }

  private static let url = "http://127.0.0.1:1"
  private static let id = UniqueID(high: 1, low: 2)
  /// A hash that matches no response body.
  private static let foreign = SHA256.hash(of: Array("other".utf8))

  private func destination(_ exchange: Script) -> HTTPDestination {
    HTTPDestination(
      settings: DestinationSettings(.http(url: Self.url)), url: Self.url, exchange: exchange,
      token: nil)
  }

  private func firestore(
    _ layout: DestinationSettings.FirestoreLayout, _ exchange: Script
  ) -> FirestoreDestination {
    FirestoreDestination(
      FirestorePlace(project: "demo", layout: layout, gateway: "G"), credentials: .none,
      over: exchange, environment: ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"])
  }

  // MARK: Endpoints

  @Test(arguments: [400, 409, 413, 415, 422])
  func `when data are read, a status meant only for uploads is reported as a rejection`(
    _ status: Int
  )
    async throws
  {
    let library = EndpointLibrary(url: Self.url, exchange: Script(status, ""), token: nil)
    let setback = await #expect(throws: Setback.self) { try await library.entries() }
    #expect(
      setback
        == Setback(
          .rejected, "the server rejected the request: HTTP \(status)",
          remedy: "check that the address points to an endpoint"))
  }

  @Test func `a response with the digest of another body is reported as altered`() async throws {
    let script = Script(200, "{}", digest: Self.foreign)
    let library = EndpointLibrary(url: Self.url, exchange: script, token: nil)
    // A task that was cancelled does not retry.
    let attempt = Task { try await library.entries().hasMore }
    attempt.cancel()
    let setback = await #expect(throws: Setback.self) { try await attempt.value }
    let remedy = "check the connection: a proxy or a faulty cable may have altered the data"
    #expect(
      setback
        == Setback(
          .unavailable, "the endpoint's response was altered in transit", remedy: remedy))
    let source = HTTPDefinitions(url: Self.url, gateway: Self.id, exchange: script, token: nil)
    let other = await #expect(throws: Setback.self) { _ = try await source.fetch(unless: nil) }
    #expect(
      other == Setback(.unavailable, "the definitions were altered in transit", remedy: remedy))
  }

  @Test func `a server that replaces a chunk is not trusted`() async throws {
    let session = TestSession()
    let chunks = testChunks(1, of: session)
    let setback = Setback(
      .unavailable, "the server reports that it replaced a chunk, but chunks must never change",
      remedy: "check that the address points to an endpoint")
    let destination = destination(Script(200, #"{"status":"replaced"}"#))
    #expect(await destination.store(chunks, of: session) == [.failed(setback)])
  }

  @Test func `an endpoint with another version of the protocol is reported`() async throws {
    let setback = await destination(Script(200, #"{"format":2}"#)).test()
    #expect(
      setback
        == Setback(
          .rejected, "the endpoint uses version 2 of the upload protocol, not 1",
          remedy: "install a later version of Footbridge"))
  }

  // MARK: Firestore

  @Test func `a session without a trusted clock waits until the clock is set`() async throws {
    let session = MadeSession(sizes: [20], isDated: false)
    let destination = firestore(.researchers, Script(200, "{}"))
    let chunks = session.gyroscopeChunks(of: MadeSession.left)
    let remedy = "wait until the clock is set; the session is then sent"
    #expect(
      await destination.store(chunks, of: session) == [
        .failed(Setback(.wrongClock, "the session has no trusted time yet", remedy: remedy))
      ])
    #expect(
      await destination.finish(session)
        == .failed(
          Setback(
            .wrongClock, "the session has no trusted time yet, or has not ended", remedy: remedy)))
  }

  @Test func `a project without a database is reported`() async throws {
    let body = #"{"error":{"code":404,"status":"NOT_FOUND","message":"no database"}}"#
    let setback = await firestore(.compact, Script(404, body)).test()
    #expect(
      setback
        == Setback(
          .rejected, "the server answered NOT_FOUND: no database",
          remedy: "check that the project and its database exist"))
  }

  // MARK: Folders

  @Test func `a folder whose path contains a loop of symbolic links is reported`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/around"
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "around")
    let setback = try await FolderDestination(path: path).test()
    #expect(
      setback
        == Setback(
          .rejected, "cannot open the folder \(path): Too many levels of symbolic links",
          remedy: "check that this user can enter the folder"))
  }
}
