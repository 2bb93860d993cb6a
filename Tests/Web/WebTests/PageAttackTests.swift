import HTTPServer
import LinuxSystem
import TestSupport
import Testing
import Values
import Web

/// Malicious or slow clients of the page.
@Suite(.realTime) struct PageAttackTests {
  @Test func `ten thousand invalid requests change nothing and do not stop the server`() throws {
    let world = try PageWorld()
    let cookie = try world.paired()
    let seed = UInt64.random(in: 0...999_999)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let paths = [
      "/", "/..", "//", "/api/v1/../v1/status", "/api/v1/sessions/%00", "/tiles/0/0/../../x",
      "/%2e%2e/%2e%2e/etc/passwd", "/api/v1/sessions?newest=\u{7f}", "/page.js/..%2f",
      "/api/v1/" + String(repeating: "a", count: 3_000), "/?" + String(repeating: "&", count: 500),
    ]
    var client = try RawConnection(port: world.port)
    for number in 0..<10_000 {
      // Most of the bytes that follow an invalid request reach a closed connection.
      if number % 8 == 0 { client = try RawConnection(port: world.port) }
      switch (number + number / 8) % 4 {
      case 0:
        let count = Int.random(in: 0..<200, using: &generator)
        client.send((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
      case 1:
        let path = paths.randomElement(using: &generator) ?? "/"
        client.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(world.port)\r\n\r\n")
      case 2:
        let method = ["POST", "PUT", "TRACE", "CONNECT", "\u{0}"].randomElement(using: &generator)
        client.send(
          "\(method ?? "X") /api/v1/recording HTTP/1.1\r\nHost: 127.0.0.1:\(world.port)\r\n"
            + "Content-Length: 2\r\n\r\n{}")
      default:
        client.send("POST /api/v1/pair HTTP/1.1\r\nHost: 127.0.0.1:\(world.port)\r\nContent-Len")
      }
    }
    #expect(world.content.script.withLock { $0.questions.isEmpty })
    #expect(try world.ask("GET", "/api/v1/status", cookie: cookie)?.text == #"{"works":true}"#)
  }

  @Test func `clients that declare bodies and never send them do not block a phone`() throws {
    let world = try PageWorld()
    let cookie = try world.paired()
    func stranger(promising bytes: Int) throws -> RawConnection {
      let client = try RawConnection(port: world.port)
      client.send(
        "POST /api/v1/pair HTTP/1.1\r\nHost: 127.0.0.1:\(world.port)\r\nOrigin: \(world.origin)\r\n"
          + "Content-Type: application/json\r\nContent-Length: \(bytes)\r\n\r\n{")
      return client
    }
    let many = try (0..<200).map { _ in try stranger(promising: 1_000) }
    #expect(try world.ask("GET", "/api/v1/status", cookie: cookie)?.status == 200)
    #expect(try world.ask("GET", "/api/v1/access")?.status == 200)
    // Pairing requests are smaller than this, since they contain only a PIN and a name.
    #expect(try stranger(promising: 65_000).answer()?.status == 413)
    // A body without a declared length is limited in the same way.
    let pieces = try RawConnection(port: world.port)
    pieces.send(
      "POST /api/v1/pair HTTP/1.1\r\nHost: 127.0.0.1:\(world.port)\r\nOrigin: \(world.origin)\r\n"
        + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<20 { pieces.send("190\r\n" + String(repeating: "a", count: 400) + "\r\n") }
    pieces.send("0\r\n\r\n")
    #expect(pieces.answer()?.status == 413)
    withExtendedLifetime(many) {}
  }

  @Test
  func `the methods that a path allows are reported even if the request has other faults`() throws {
    let world = try PageWorld()
    let cookie = try world.paired()
    for (method, path, allowed) in [
      ("POST", "/api/v1/status", "GET, HEAD"), ("PUT", "/api/v1/status", "GET, HEAD"),
      ("DELETE", "/api/v1/sessions", "GET, HEAD"), ("PUT", "/api/v1/pair", "POST"),
      ("PATCH", "/api/v1/stream", "GET"), ("DELETE", "/", "GET, HEAD"),
      ("PUT", "/tiles/1/0/0", "GET, HEAD"),
    ] {
      let answer = try world.ask(method, path, cookie: cookie, type: "text/plain", body: "{}")
      #expect(answer?.status == 405, "\(method) \(path)")
      #expect(answer?.fields["allow"] == allowed, "\(method) \(path)")
    }
  }

  /// Reads events until the arrival of a state that was created after this number of earlier
  /// states. Returns the number of bytes before that state, or `nil` if the state does not arrive.
  private func bytes(_ page: RawConnection, untilStateAfter count: Int) -> Int? {
    var heard = 0
    var text = ""
    while let bytes = page.bytes() {
      heard += bytes.count
      text = String((text + String(decoding: bytes, as: UTF8.self)).suffix(400))
      let parts = text.split(separator: #"{"status":{"number":"#).dropFirst()
      let numbers = parts.compactMap { Int($0.prefix { $0.isNumber }) }
      if numbers.contains(where: { $0 > count }) { return heard }
    }
    return nil
  }

  @Test func `a page that does not read does not delay other pages, and no backlog accumulates`()
    async throws
  {
    let world = try PageWorld()
    let cookie = try world.paired()
    func open() throws -> RawConnection {
      let page = try RawConnection(port: world.port)
      page.send(
        "GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:\(world.port)\r\nCookie: \(cookie)\r\n\r\n")
      return page
    }
    let deaf = try open()
    let quick = try open()
    // Ten megabytes of samples.
    let large = JSONValue.string(String(repeating: "x", count: 100_000))
    let content = world.content
    content.script.withLock { script in
      script.columns = (0..<100).map { number -> JSONValue in
        ["number": .integer(Int64(number)), "fill": large]
      }
    }
    // The other page gets a state that was created after all samples.
    while content.script.withLock({ !$0.columns.isEmpty }) {
      #expect(bytes(quick, untilStateAfter: content.script.withLock { $0.states }) != nil)
    }
    let states = content.script.withLock { $0.states }
    #expect(bytes(quick, untilStateAfter: states) != nil)
    // The page that did not read now starts to read. It gets the bytes that the kernel had buffered
    // for it, and soon afterwards the newest state.
    let heard = try #require(bytes(deaf, untilStateAfter: states))
    #expect(heard < 9_000_000, "\(heard) bytes")
  }

  @Test func `a page beyond the maximum number of open pages is rejected`() throws {
    let world = try PageWorld()
    // A single phone must not be able to open the maximum number of pages.
    let cookies = try (0..<6).map { number in
      let token = try world.access.devices.pair(
        "phone \(number)", role: .look, at: nil)
      return String(SessionCookie.setting(token, isEncrypted: false).prefix { $0 != ";" })
    }
    let cookie = cookies[5]
    var pages: [RawConnection] = []
    for number in 0..<16 {
      let page = try RawConnection(port: world.port)
      let cookie = cookies[number / 3]
      page.send(
        "GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:\(world.port)\r\nCookie: \(cookie)\r\n\r\n")
      #expect(page.bytes() != nil)
      pages.append(page)
    }
    let answer = try world.ask("GET", "/api/v1/stream", cookie: cookie)
    #expect(answer?.status == 503 && answer?.text.contains("16 pages are already open") ?? false)
  }
}
