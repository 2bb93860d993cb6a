import HTTPServer
import LinuxSystem
import TestSupport
import Testing

@Suite(.realTime) struct HTTPServerTests {
  private func server(
    _ handler: Echo = Echo(), limits: ServerLimits = .patient
  ) throws -> HTTPServer {
    try HTTPServer(at: ListenAddress(host: "127.0.0.1", port: 0), limits: limits, handler: handler)
  }

  private func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  }

  @Test func `a body of up to 1 MB is echoed unchanged`() throws {
    let server = try server()
    for count in [0, 1, 100, 65_535, 65_536, 1_000_000] {
      let body = bytes(count)
      let client = try RawConnection(port: server.address.port)
      let answer = client.ask(
        "PUT", "/a%20b/%C3%A9?c=d", fields: [("X-Test", "yes")], body: body)
      #expect(answer?.status == 200)
      let isSame = answer?.body == body
      #expect(isSame)
      #expect(answer?.fields["x-method"] == "PUT")
      #expect(answer?.fields["x-path"] == "/a b/é")
      #expect(answer?.fields["x-test"] == "yes")
    }
  }

  @Test func `one connection serves many requests`() throws {
    let server = try server()
    let client = try RawConnection(port: server.address.port)
    for count in 0..<200 {
      let answer = client.ask("PUT", "/\(count)", body: bytes(count))
      #expect(answer?.body == bytes(count))
      #expect(answer?.fields["x-path"] == "/\(count)")
    }
    // Several requests without bodies, sent without waiting for the responses.
    for count in 0..<20 { client.send("GET", "/\(count)") }
    for count in 0..<20 { #expect(client.answer()?.fields["x-path"] == "/\(count)") }
    let head = client.ask("HEAD", "/h")
    #expect(head?.status == 200 && head?.body == [])
    #expect(client.ask("GET", "/last")?.status == 200)
  }

  @Test func `a path with an escaped zero byte is rejected`() throws {
    let server = try server()
    let client = try RawConnection(port: server.address.port)
    #expect(client.ask("GET", "/a%41%2fb")?.fields["x-path"] == "/aA/b")
    let answer = client.ask("GET", "/a%00b")
    #expect(answer?.status == 400)
    #expect(answer?.text == "the path contains an escaped zero byte")
  }

  @Test func `an absolute URL is reduced to its path, or rejected if it names another host`() throws
  {
    let server = try server()
    let host = "127.0.0.1:\(server.address.port)"
    for (target, path) in [
      ("http://\(host)/a/b?c=d", "/a/b"), ("http://\(host)", "/"), ("https://\(host)/", "/"),
    ] {
      let client = try RawConnection(port: server.address.port)
      client.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      let answer = client.answer()
      #expect(answer?.status == 200 && answer?.fields["x-path"] == path, "\(target)")
    }
    let other = try RawConnection(port: server.address.port)
    other.send("GET http://evil.example/a HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    #expect(other.answer()?.status == 400)
  }

  @Test func `the chunks of a chunked body are joined`() throws {
    let server = try server()
    let client = try RawConnection(port: server.address.port)
    client.send("PUT /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<3 { client.send("5\r\nabcde\r\n") }
    client.send("0\r\n\r\n")
    #expect(client.answer()?.text == "abcdeabcdeabcde")
    #expect(client.ask("GET", "/next")?.status == 200)
  }

  @Test func `a request that expects 100 Continue is answered, or refused before its body is sent`()
    throws
  {
    let server = try server()
    let client = try RawConnection(port: server.address.port)
    client.send("PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    client.send("abc")
    #expect(client.answer()?.text == "abc")
    let other = try RawConnection(port: server.address.port)
    other.send(
      "PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n"
        + "Authorization: nobody\r\n\r\n")
    #expect(other.answer()?.status == 401)
  }

  @Test func `a client that sends the body without waiting still receives the refusal`() throws {
    let server = try server()
    let body = bytes(1_000_000)
    for _ in 0..<20 {
      let client = try RawConnection(port: server.address.port)
      let answer = client.ask("PUT", "/x", fields: [("Authorization", "nobody")], body: body)
      #expect(answer?.status == 401)
      #expect(answer?.text == "who?")
      #expect(answer?.fields["connection"] == "close")
    }
    // If the client sends no body, the connection stays open.
    let client = try RawConnection(port: server.address.port)
    #expect(client.ask("GET", "/x", fields: [("Authorization", "nobody")])?.status == 401)
    #expect(client.ask("PUT", "/x", body: [1])?.status == 200)
  }

  @Test func `an overlong body is rejected, whether or not its length is declared`() throws {
    var limits = ServerLimits.patient
    limits.body = 1_000
    let server = try server(limits: limits)
    let client = try RawConnection(port: server.address.port)
    #expect(client.ask("PUT", "/x", body: bytes(1_000))?.status == 200)
    client.send("PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n")
    let answer = client.answer()
    #expect(answer?.status == 413)
    #expect(answer?.text == "too much")
    // A client without authorisation is rejected for that reason first.
    let stranger = try RawConnection(port: server.address.port)
    stranger.send(
      "PUT /x HTTP/1.1\r\nHost: x\r\nAuthorization: nobody\r\nContent-Length: 1001\r\n\r\n")
    #expect(stranger.answer()?.status == 401)
    // The length of this body is not declared.
    let other = try RawConnection(port: server.address.port)
    other.send("PUT /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<3 { other.send("190\r\n" + String(repeating: "a", count: 400) + "\r\n") }
    other.send("0\r\n\r\n")
    #expect(other.answer()?.status == 413)
    // A body that never ends is cut off.
    let endless = try RawConnection(port: server.address.port)
    endless.send("PUT /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    var isTaken = true
    for _ in 0..<10_000 where isTaken {
      isTaken = endless.send("190\r\n" + String(repeating: "a", count: 400) + "\r\n")
    }
    #expect(!isTaken)
  }

  @Test func `a body beyond the memory limit is rejected until memory has been freed`() async throws
  {
    var limits = ServerLimits.patient
    limits.bodies = 150_000
    let echo = Echo(isPatient: true)
    let server = try server(echo, limits: limits)
    let first = try RawConnection(port: server.address.port)
    first.send("PUT", "/1", body: bytes(100_000))
    #expect(await echo.arrival() == "/1")
    let second = try RawConnection(port: server.address.port)
    let answer = second.ask("PUT", "/2", body: bytes(100_000))
    #expect(answer?.status == 503 && answer?.text == "busy")
    echo.answerAll()
    #expect(first.answer()?.status == 200)
    // The memory has been freed.
    second.send("PUT", "/3", body: bytes(100_000))
    #expect(await echo.arrival() == "/3")
    echo.answerAll()
    #expect(second.answer()?.body == bytes(100_000))
  }

  @Test func `a header that is too long or malformed is rejected`() throws {
    var limits = ServerLimits.patient
    limits.connectionMemory = 8_192
    limits.firstHeadSeconds = 0.5
    let server = try server(limits: limits)
    let client = try RawConnection(port: server.address.port)
    client.send("GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + String(repeating: "a", count: 20_000))
    let status = client.answer()?.status ?? 0
    #expect((400..<500).contains(status))
    for nonsense in [
      "\r\n\r\n\r\n", "BREW\r\n\r\n", "GET / HTTP/1.1\r\nHost x\r\n\r\n", "\u{0}\u{1}",
    ] {
      let other = try RawConnection(port: server.address.port)
      other.send(nonsense)
      other.finish()
      let answer = other.answer()
      #expect(answer == nil || answer?.status != 200, "\(nonsense)")
    }
    let last = try RawConnection(port: server.address.port)
    #expect(last.ask("GET", "/")?.status == 200)
  }

  @Test func `slow clients are disconnected while other clients are served`() throws {
    var limits = ServerLimits.patient
    limits.firstHeadSeconds = 0.4
    limits.bodySeconds = 0.4
    let server = try server(limits: limits)
    // Single bytes arrive occasionally, so a timer restarted by every byte would never expire.
    let dripping = try RawConnection(port: server.address.port)
    let other = try RawConnection(port: server.address.port)
    other.send("PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nabc")
    var isTaken = true
    for _ in 0..<100_000 where isTaken {
      isTaken = dripping.send("G")
      let prompt = try RawConnection(port: server.address.port)
      #expect(prompt.ask("GET", "/")?.status == 200)
    }
    #expect(!isTaken)
    #expect(other.isClosed())
    _ = dripping.answer()
  }

  @Test func `a response that takes longer than the time limits for requests is still sent`()
    async throws
  {
    var limits = ServerLimits.patient
    limits.firstHeadSeconds = 0.2
    limits.bodySeconds = 0.2
    let echo = Echo(isPatient: true)
    let server = try server(echo, limits: limits)
    let patient = try RawConnection(port: server.address.port)
    patient.send("PUT", "/slow", body: [1, 2, 3])
    #expect(await echo.arrival() == "/slow")
    // This is longer than a client may take to send its request.
    for _ in 0..<10 {
      let other = try RawConnection(port: server.address.port)
      #expect(other.isClosed())
    }
    echo.answerAll()
    #expect(patient.answer()?.body == [1, 2, 3])
  }

  /// A handler that responds only at the end of each round.
  private final class RoundHandler: RequestHandler {
    private let waiting = Guarded<[(reply: PendingReply, response: ServerResponse)]>([])

    func refusal(of head: RequestHead) -> ServerResponse? { nil }
    func refusal(for reason: ServerRefusal) -> ServerResponse { ServerResponse(503) }

    func handle(_ head: RequestHead, body: [UInt8], reply: PendingReply) {
      waiting.withLock { $0.append((reply, ServerResponse(200, body: body))) }
    }

    func endRound() {
      PendingReply.give(
        waiting.withLock { waiting in
          defer { waiting = [] }
          return waiting
        })
    }
  }

  @Test func `a handler can respond to several waiting requests at once`()
    async throws
  {
    let server = try HTTPServer(
      at: ListenAddress(host: "127.0.0.1", port: 0), limits: .patient, handler: RoundHandler())
    let clients = try (0..<8).map { _ in try RawConnection(port: server.address.port) }
    for round in 0..<20 {
      for (number, client) in clients.enumerated() {
        client.send("PUT", "/", body: bytes(round * 8 + number))
      }
      for (number, client) in clients.enumerated() {
        #expect(client.answer()?.body == bytes(round * 8 + number))
      }
    }
  }

  @Test func `if a handler drops a reply, the client gets an error response`() async throws {
    let echo = Echo(isPatient: true)
    let server = try server(echo)
    let client = try RawConnection(port: server.address.port)
    client.send("GET", "/")
    #expect(await echo.arrival() == "/")
    echo.dropAll()
    #expect(client.answer()?.status == 500)
  }

  @Test func `a client that disconnects while it waits does not affect other clients`() async throws
  {
    let echo = Echo(isPatient: true)
    let server = try server(echo)
    do {
      let client = try RawConnection(port: server.address.port)
      client.send("PUT", "/gone", body: bytes(10_000))
      #expect(await echo.arrival() == "/gone")
    }
    echo.answerAll()
    let other = try RawConnection(port: server.address.port)
    other.send("GET", "/here")
    #expect(await echo.arrival() == "/here")
    echo.answerAll()
    #expect(other.answer()?.status == 200)
  }

  @Test func `stopping the server completes requests in progress and rejects new clients`()
    async throws
  {
    let echo = Echo(isPatient: true)
    let server = try server(echo)
    let client = try RawConnection(port: server.address.port)
    client.send("PUT", "/x", body: [1])
    #expect(await echo.arrival() == "/x")
    let stopping = try NamedThread("stopping") { server.stop() }
    // The socket rejects new connections while the request is still waiting.
    while (try? RawConnection(port: server.address.port)) != nil {}
    echo.answerAll()
    #expect(client.answer()?.body == [1])
    stopping.join()
  }

  @Test func `stopping the server does not wait indefinitely for a pending reply`() async throws {
    var limits = ServerLimits.patient
    limits.stopSeconds = 0.1
    let echo = Echo(isPatient: true)
    let server = try server(echo, limits: limits)
    let client = try RawConnection(port: server.address.port)
    client.send("PUT", "/x", body: [1])
    #expect(await echo.arrival() == "/x")
    server.stop()
    // The client gets a response, or the server closes the connection.
    let answer = client.answer()
    #expect(answer == nil || answer?.status == 503)
    echo.answerAll()
  }

  @Test func `many concurrent clients are all served`() async throws {
    let server = try server()
    let port = server.address.port
    let body = bytes(50_000)
    let served = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          guard let client = try? RawConnection(port: port) else { return 0 }
          return (0..<50).count { _ in client.ask("PUT", "/x", body: body)?.body == body }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(served == 400)
  }

  @Test func `the error for an address in use contains the address`() throws {
    let server = try server()
    let error = #expect(throws: SystemError.self) {
      _ = try HTTPServer(at: server.address, handler: Echo())
    }
    #expect(error?.operation == "listen at \(server.address)")
  }

  @Test(.enabled(if: hasIPv6, "SKIPPED: this computer has no ::1"))
  func `a server can listen at an IPv6 address`() throws {
    let server = try HTTPServer(at: ListenAddress(host: "::1", port: 0), handler: Echo())
    #expect(server.address.port > 0)
    #expect("\(server.address)" == "[::1]:\(server.address.port)")
  }

  @Test(arguments: [
    ("127.0.0.1:8420", "127.0.0.1:8420", true), ("localhost:0", "127.0.0.1:0", true),
    ("127.3.2.1:1", "127.3.2.1:1", true), ("0.0.0.0:80", "0.0.0.0:80", false),
    ("[::1]:8420", "[::1]:8420", true), ("[::]:8420", "[::]:8420", false),
    ("192.168.1.20:65535", "192.168.1.20:65535", false),
  ])
  func `a listening address is parsed`(text: String, read: String, isLoopback: Bool) throws {
    let address = try #require(ListenAddress(text))
    #expect("\(address)" == read)
    #expect(address.isLoopback == isLoopback)
  }

  @Test(arguments: [
    "", "8420", ":8420", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80",
    "[127.0.0.1]:80", "example.org:80", "127.0.0.1:8a", "[::1]", "127.0.0:80", "127.0.0.1:+8",
  ])
  func `an invalid listening address is rejected`(text: String) {
    #expect(ListenAddress(text) == nil)
  }
}
