import ChunkFormat
import LinuxSystem
import Recording
import SessionFolder
import TestSupport
import Testing
import Upload
import HTTPClient

/// The example from the library's documentation.
@Suite(.realTime) struct ExampleTests {
  @Test func `the example in Upload's documentation runs`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    let session = TestSession(fixes: 10)
    let chunk = SampleChunk.make(0, session: session.content.session.id)
    let chunks = [
      OutgoingChunk(
        id: chunk.id, session: chunk.session, board: chunk.board.address,
        signal: chunk.stream.signal, sequence: chunk.sequence, sampleCount: chunk.count,
        bytes: chunk.encoded())
    ]
    let destination = try FolderDestination(path: path)
    let verdicts = await destination.store(chunks, of: session)
    let last = await destination.finish(session)
    #expect(verdicts == [.stored])
    #expect(last == .stored)
    let reader = try FolderReader(folder: path)
    #expect(try reader.record(of: session.content.session.id) == session.content)
  }
}

/// Gives every request an empty result, like a database without sessions.
private final class Script: HTTPExchange {
  let urls = Guarded<[String]>([])

  func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
    urls.withLock { $0.append(request.url) }
    return HTTPResponse(status: 200, body: Array("[]".utf8))
  }
}

/// The example from the library's documentation.
@Suite(.computation) struct FirestoreExampleTests {
  @Test func `the example for Firestore runs`() async throws {
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
