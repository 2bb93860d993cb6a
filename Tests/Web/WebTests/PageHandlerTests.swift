import HTTPServer
import LinuxSystem
import TestSupport
import Testing
import Values
import Web

/// The page over real sockets, as used by browsers and other clients.
@Suite(.realTime) struct PageHandlerTests {
  @Test func `an unpaired client gets only the page's files and the greeting`() throws {
    let world = try PageWorld()
    let page = try world.ask("GET", "/")
    #expect(page?.status == 200 && page?.text.hasPrefix("<!") ?? false)
    #expect(page?.fields["content-security-policy"]?.contains("default-src 'self'") ?? false)
    #expect(page?.fields["x-content-type-options"] == "nosniff")
    for path in ["/page.js", "/page.css", "/icon.svg"] {
      #expect(try world.ask("GET", path)?.status == 200)
    }
    #expect(try world.ask("GET", "/../etc/passwd")?.status == 404)
    #expect(try world.ask("GET", "/%2e%2e/etc/passwd")?.status == 404)
    let greeting = try world.ask("GET", "/api/v1/access")
    #expect(
      greeting?.text
        == #"{"role":"none","name":null,"gateway":"trail-1","kind":"gateway","live":true,"#
        + #""version":"1.2.3","tiles":true}"#)
    for path in [
      "/api/v1/status", "/api/v1/sessions", "/api/v1/stream", "/api/v1/doctor", "/tiles",
      "/tiles/0/0/0", "/api/v1/nothing", "/api/", "/api/v1/sessions/x",
    ] {
      let answer = try world.ask("GET", path)
      #expect(answer?.status == 401, "\(path)")
      #expect(answer?.text.contains("not paired") ?? false)
    }
    #expect(
      try world.ask("POST", "/api/v1/recording", body: #"{"command":"start"}"#)?.status == 401)
    #expect(world.content.script.withLock { $0.questions.isEmpty })
  }

  @Test func `a page file is compressed on request, and is not sent again if it is unchanged`()
    throws
  {
    let world = try PageWorld()
    let plain = try world.ask("GET", "/page.js")
    let packed = try world.ask("GET", "/page.js", more: [("Accept-Encoding", "gzip, br")])
    #expect(packed?.fields["content-encoding"] == "gzip")
    #expect((packed?.body.count ?? .max) * 2 < plain?.body.count ?? 0)
    let tag = try #require(plain?.fields["etag"])
    let again = try world.ask("GET", "/page.js", more: [("If-None-Match", tag)])
    #expect(again?.status == 304 && again?.body == [])
  }

  @Test
  func `a phone is paired with a PIN, and revoking its access takes effect at the next request`()
    throws
  {
    let world = try PageWorld()
    let cookie = try world.paired()
    let greeting = try world.ask("GET", "/api/v1/access", cookie: cookie)
    #expect(greeting?.text.contains(#""role":"operate","name":"phone""#) ?? false)
    #expect(try world.ask("GET", "/api/v1/status", cookie: cookie)?.text == #"{"works":true}"#)
    #expect(try world.ask("GET", "/api/v1/sessions", cookie: cookie)?.status == 200)
    #expect(
      try world.ask("POST", "/api/v1/recording", cookie: cookie, body: #"{"command":"stop"}"#)?
        .status == 200)
    #expect(world.content.script.withLock { $0.questions.last } == .record(.stop, until: nil))
    // Another process revokes the phone's access.
    let other = PairedDevices(DeviceFile(besides: "\(world.folder.path)/walks.sqlite"))
    #expect(try other.forget("phone").count == 1)
    #expect(try world.ask("GET", "/api/v1/status", cookie: cookie)?.status == 401)
  }

  @Test func `a phone with view-only access cannot change anything, and its user can unpair it`()
    throws
  {
    let world = try PageWorld()
    let cookie = try world.paired(.look)
    #expect(try world.ask("GET", "/api/v1/sessions", cookie: cookie)?.status == 200)
    let answer = try world.ask(
      "POST", "/api/v1/recording", cookie: cookie, body: #"{"command":"stop"}"#)
    #expect(answer?.status == 403 && answer?.text.contains("may only view") ?? false)
    #expect(try world.ask("POST", "/api/v1/leave", cookie: cookie, body: "{}")?.status == 200)
    #expect(try world.ask("GET", "/api/v1/sessions", cookie: cookie)?.status == 401)
  }

  @Test
  func `after five wrong PINs, an address is rejected even with the correct PIN or a new one`()
    throws
  {
    let world = try PageWorld()
    let pin = world.access.offer(.operate).revealed
    let wrong = pin == "000000" ? "000001" : "000000"
    for _ in 0..<5 {
      let answer = try world.ask("POST", "/api/v1/pair", body: #"{"pin":"\#(wrong)"}"#)
      #expect(answer?.status == 403)
    }
    let answer = try world.ask("POST", "/api/v1/pair", body: #"{"pin":"\#(pin)"}"#)
    #expect(answer?.status == 403 && answer?.text.contains("from this address") ?? false)
    let next = world.access.offer(.operate).revealed
    // The limit is five attempts per minute in any case.
    let soon = try world.ask("POST", "/api/v1/pair", body: #"{"pin":"\#(next)","name":"x"}"#)
    let seconds = soon?.fields["retry-after"].flatMap { Int($0) }
    #expect(soon?.status == 429 && (1...60).contains(seconds ?? 0), "\(soon?.text ?? "-")")
  }

  @Test func `pages from other sites have no access, whatever host name they use`() throws {
    let world = try PageWorld()
    let cookie = try world.paired()
    for host in ["evil.example", "evil.example:\(world.port)", "127.0.0.1", "127.0.0.1:1", ""] {
      let answer = try world.ask("GET", "/api/v1/status", cookie: cookie, host: host)
      #expect([400, 421].contains(answer?.status ?? 0), "\(host)")
      #expect([400, 421].contains(try world.ask("GET", "/", host: host)?.status ?? 0), "\(host)")
    }
    for host in ["localhost:\(world.port)", "TRAIL-1.local:\(world.port)", "[::1]:\(world.port)"] {
      #expect(
        try world.ask("GET", "/api/v1/status", cookie: cookie, host: host)?.status == 200, "\(host)"
      )
    }
    let body = #"{"command":"stop"}"#
    for origin in ["http://evil.example", "null", "https://127.0.0.1:\(world.port)"] {
      #expect(
        try world.ask(
          "POST", "/api/v1/recording", cookie: cookie, origin: origin, body: body)?.status == 403)
    }
    for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
      #expect(
        try world.ask("POST", "/api/v1/recording", cookie: cookie, type: type, body: body)?.status
          == 415)
    }
    #expect(
      try world.ask(
        "GET", "/api/v1/sessions", cookie: cookie, more: [("Sec-Fetch-Site", "cross-site")])?
        .status == 403)
    #expect(try world.ask("OPTIONS", "/api/v1/recording", cookie: cookie)?.status == 405)
    #expect(try world.ask("DELETE", "/api/v1/sessions", cookie: cookie)?.status == 405)
    for (method, path, allowed) in [
      ("HEAD", "/api/v1/stream", "GET"), ("POST", "/page.js", "GET, HEAD"),
      ("POST", "/api/v1/others", "GET, HEAD"),
      ("PUT", "/api/v1/sessions/current/tasks", "GET, HEAD, POST"),
      ("PUT", "/api/v1/sessions/current/survey", "POST"),
    ] {
      let answer = try world.ask(
        method, path, cookie: cookie, body: method == "POST" ? "{}" : nil)
      #expect(answer?.status == 405 && answer?.fields["allow"] == allowed, "\(method) \(path)")
    }
    #expect(world.content.script.withLock { $0.questions.isEmpty })
  }

  @Test func `a fault is reported with its remedy, and a map tile may be cached`() throws {
    let world = try PageWorld()
    let cookie = try world.paired()
    let id = UniqueID(high: 1, low: 1)
    let fault = try world.ask("GET", "/api/v1/sessions/\(id)", cookie: cookie)
    #expect(fault?.status == 404)
    #expect(
      fault?.text
        == #"{"error":"there is no such session","remedy":"look again","#
        + #""phone":{"text":"there is no such session","remedy":"look again"}}"#)
    #expect(fault?.fields["cache-control"] == "no-store")
    let tile = try world.ask("GET", "/tiles/0/0/0", cookie: cookie)
    #expect(tile?.body == [1, 2, 3] && tile?.fields["content-type"] == "image/png")
    #expect(tile?.fields["cache-control"]?.contains("private") ?? false)
    #expect(try world.ask("GET", "/api/v1/doctor", cookie: cookie)?.text == #"{"findings":[]}"#)
    #expect(
      try world.ask("POST", "/api/v1/recording", cookie: cookie, body: "{")?.status == 400)
  }

  private func read(_ client: RawConnection, until end: String) -> String {
    var text = ""
    while !text.contains(end), let bytes = client.bytes() {
      text += String(decoding: bytes, as: UTF8.self)
    }
    return text
  }

  @Test func `a slow response does not delay other responses`() async throws {
    let world = try PageWorld()
    let cookie = try world.paired()
    func begin(_ points: Int) throws -> RawConnection {
      let client = try RawConnection(port: world.port)
      let path = "/api/v1/sessions/\(UniqueID.random())/track?points=\(points)"
      client.send(
        "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(world.port)\r\nCookie: \(cookie)\r\n\r\n")
      return client
    }
    let clients = try [2, 3, 4].map(begin)
    try await wait(for: "all are asked") { world.content.script.withLock { $0.late.count == 3 } }
    #expect(try world.ask("GET", "/api/v1/formats", cookie: cookie)?.status == 200)
    let late = world.content.script.withLock { $0.late.sorted { $0.points < $1.points } }
    late[1].ready { () throws(PageFault) in .json(["points": 3]) }
    #expect(clients[1].answer()?.text == #"{"points":3}"#)
    late[0].ready { () throws(PageFault) in throw PageFault(503, "not there yet", after: 7) }
    let answer = clients[0].answer()
    #expect(answer?.status == 503 && answer?.fields["retry-after"] == "7")
    // Once the handler has stopped, the slowest request gets an error response.
    world.handler.stop()
    #expect(world.content.script.withLock { $0.hasStopped })
    late[2].ready { () throws(PageFault) in .json([:]) }
    #expect(clients[2].answer()?.status == 503)
  }

  @Test func `an open page receives states and samples until its phone's access is revoked`()
    async throws
  {
    let world = try PageWorld()
    let cookie = try world.paired()
    let client = try RawConnection(port: world.port)
    client.send("GET", "/api/v1/stream", fields: [("Cookie", cookie), ("X", "y")])
    // The Host field of this request has no port.
    #expect(client.answer()?.status == 421)
    let page = try RawConnection(port: world.port)
    page.send(
      "GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:\(world.port)\r\nCookie: \(cookie)\r\n\r\n")
    let start = read(page, until: "event: status")
    #expect(start.contains("text/event-stream"))
    world.content.script.withLock { $0.columns = [["streams": ["new"]]] }
    #expect(read(page, until: #"["new"]"#).contains("event: columns"))
    #expect(read(page, until: #""number":3"#).contains("event: status"))
    #expect(world.content.script.withLock { $0.watches } == [true])
    #expect(try world.access.devices.forget("phone").count == 1)
    #expect(read(page, until: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
    let content = world.content
    try await wait(for: "nobody watches") {
      content.script.withLock { $0.watches } == [true, false]
    }
  }

  @Test
  func `a stream first sends the current state, even if no page was open for a while`()
    async throws
  {
    let world = try PageWorld()
    let cookie = try world.paired(.look)
    for round in 1...3 {
      let made = world.content.script.withLock { $0.states }
      var page: RawConnection? = try RawConnection(port: world.port)
      page?.send(
        "GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:\(world.port)\r\nCookie: \(cookie)\r\n\r\n"
      )
      let text = page.map { read($0, until: "}}\n\n") } ?? ""
      let number = try #require(text.firstMatch(of: /"number":([0-9]+)/)?.output.1, "\(text)")
      #expect(try #require(Int(number)) > made, "\(text)")
      page = nil
      try await wait(for: "nobody looks") {
        world.content.script.withLock { $0.watches.count { !$0 } == round }
      }
    }
  }

  @Test
  func `opening too many pages on a phone closes its oldest one and does not block other phones`()
    throws
  {
    let world = try PageWorld()
    func open(_ cookie: String) throws -> RawConnection {
      let page = try RawConnection(port: world.port)
      page.send(
        "GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:\(world.port)\r\nCookie: \(cookie)\r\n\r\n"
      )
      #expect(read(page, until: "event: status").contains("text/event-stream"))
      return page
    }
    let cookie = try world.paired(.look)
    let first = try open(cookie)
    // This is more than the limit for all devices together.
    let others = try (0..<20).map { _ in try open(cookie) }
    #expect(read(first, until: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
    _ = try open(world.paired())
    withExtendedLifetime(others) {}
  }

  @Test func `a download arrives complete, and a failed one can be recognised as incomplete`()
    throws
  {
    let world = try PageWorld()
    let cookie = try world.paired()
    func download(_ format: String) throws -> String {
      let client = try world.beginDownload(format, cookie: cookie)
      var text = ""
      while let bytes = client.bytes() { text += String(decoding: bytes, as: UTF8.self) }
      return text
    }
    let whole = try download("csv")
    #expect(whole.contains("attachment; filename=\"walk.csv\""))
    #expect(whole.utf8.count > 1_000_000 && whole.hasSuffix("\r\n0\r\n\r\n"))
    let broken = try download("broken")
    #expect(broken.contains("half") && !broken.hasSuffix("0\r\n\r\n"))
    // Both downloads have freed their slots.
    for _ in 0..<4 { #expect(try download("csv").utf8.count > 1_000_000) }
  }

  @Test
  func `a download cut off because the server stops can be recognised as incomplete`() async throws
  {
    let world = try PageWorld()
    let cookie = try world.paired()
    let client = try world.beginDownload("large", cookie: cookie)
    var found = try #require(client.bytes())
    let end = Task { [server = world.server] in server.stop() }
    var count = found.count
    while let bytes = client.bytes() {
      count += bytes.count
      found = (found + bytes).suffix(20)
    }
    await end.value
    #expect(!String(decoding: found, as: UTF8.self).hasSuffix("\r\n0\r\n\r\n"))
    #expect(count < 30_000_000, "\(count) bytes: all of it came before the end")
  }

  @Test func `once a phone's access is revoked, its download receives no more data`() throws {
    let world = try PageWorld()
    let cookie = try world.paired()
    let client = try world.beginDownload("large", cookie: cookie)
    #expect(client.bytes() != nil)
    #expect(try world.access.devices.forgetAll() == 1)
    var count = 0
    while let bytes = client.bytes() { count += bytes.count }
    // These bytes were already in the kernel's buffer.
    #expect(count < 20_000_000, "\(count) bytes")
  }

  @Test func `a client that disconnects during a download frees its download slot`() async throws {
    let world = try PageWorld()
    let cookie = try world.paired()
    let id = UniqueID(high: 1, low: 1)
    let port = world.port
    for _ in 0..<6 {
      // The thread of the last download keeps its slot until it notices that the client has
      // disconnected.
      try await wait(for: "a download begins") {
        let client = try RawConnection(port: port)
        client.send(
          "GET /api/v1/sessions/\(id)/export?format=csv HTTP/1.1\r\n"
            + "Host: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n\r\n")
        return read(client, until: "\r\n\r\n").contains("200 OK")
      }
    }
  }
}
