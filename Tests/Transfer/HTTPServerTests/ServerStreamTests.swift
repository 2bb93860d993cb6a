import Foundation
import HTTPServer
import LinuxSystem
import TestSupport
import Testing

/// Responses that are streamed while they are produced.
@Suite(.realTime) struct ServerStreamTests {
  /// A stream whose bytes are supplied by the test.
  private final class Source: ServerStream {
    private let state = Guarded<(bytes: [UInt8], isOver: Bool, ends: Int, asked: Int)>(
      ([], false, 0, 0))
    private let bell = Guarded<(@Sendable () -> Void)?>(nil)

    var ends: Int { state.withLock { $0.ends } }
    var asked: Int { state.withLock { $0.asked } }

    func give(_ text: String, andEnd: Bool = false) {
      state.withLock { state in
        state.bytes += Array(text.utf8)
        state.isOver = andEnd
      }
      bell.withLock { $0 }?()
    }

    func begin(_ bell: @escaping @Sendable () -> Void) { self.bell.withLock { $0 = bell } }

    func next(upTo count: Int) -> [UInt8]? {
      state.withLock { state in
        state.asked += 1
        let bytes = Array(state.bytes.prefix(count))
        state.bytes.removeFirst(bytes.count)
        return bytes.isEmpty && state.isOver ? nil : bytes
      }
    }

    func end() { state.withLock { $0.ends += 1 } }
  }

  private struct Streamer: RequestHandler {
    let source: Source

    func refusal(of head: RequestHead) -> ServerResponse? { nil }
    func refusal(for reason: ServerRefusal) -> ServerResponse { ServerResponse(503) }
    func handle(_ head: RequestHead, body: [UInt8], reply: PendingReply) {
      reply.give(ServerResponse(200), source)
    }
  }

  /// Returns the received text up to and including `end`. Each byte is examined only once, because
  /// the text may be long.
  private func text(of client: RawConnection, until end: String) -> String {
    var (found, seen) = (Data(), 0)
    while found[seen...].range(of: Data(end.utf8)) == nil, let bytes = client.bytes() {
      seen = max(0, found.count - end.utf8.count)
      found.append(contentsOf: bytes)
    }
    return String(decoding: found, as: UTF8.self)
  }

  private func server(_ source: Source) throws -> HTTPServer {
    try HTTPServer(
      at: ListenAddress(host: "127.0.0.1", port: 0), limits: .patient,
      handler: Streamer(source: source))
  }

  @Test func `a stream sends the bytes that are available, waits without polling, and ends`()
    async throws
  {
    let source = Source()
    let server = try server(source)
    let client = try RawConnection(port: server.address.port)
    source.give("one")
    client.send("GET", "/")
    #expect(text(of: client, until: "one").contains("chunked"))
    try await wait(for: "a question without an answer") { source.asked >= 2 }
    let asked = source.asked
    try await Pause.seconds(0.3)
    #expect(source.asked == asked)
    source.give("two")
    #expect(text(of: client, until: "two").contains("two"))
    source.give("three", andEnd: true)
    #expect(text(of: client, until: "\r\n0\r\n").contains("three"))
    try await wait(for: "the end") { source.ends == 1 }
    // After the stream, the connection serves the next request.
    client.send("GET", "/")
    #expect(text(of: client, until: "\r\n0\r\n").contains("200 OK"))
  }

  @Test func `a stream ends when its client disconnects or its server stops`() async throws {
    let source = Source()
    let server = try server(source)
    do {
      let client = try RawConnection(port: server.address.port)
      client.send("GET", "/")
      source.give("one")
      #expect(text(of: client, until: "one").contains("one"))
    }
    // The server notices the disconnection only when it has bytes to send.
    try await wait(for: "the end") {
      source.give(": \n\n")
      return source.ends == 1
    }
    let client = try RawConnection(port: server.address.port)
    client.send("GET", "/")
    source.give("two")
    #expect(text(of: client, until: "two").contains("two"))
    server.stop()
    #expect(client.isOver())
    #expect(source.ends == 2)
  }

  @Test func `a client that starts to read late still receives a long stream to its end`()
    async throws
  {
    let source = Source()
    let server = try server(source)
    let client = try RawConnection(port: server.address.port)
    client.send("GET", "/")
    source.give(String(repeating: "x", count: 20_000_000) + "END", andEnd: true)
    try await wait(for: "full buffers") { source.asked > 10 }
    #expect(text(of: client, until: "END").contains("END"))
  }
}
