import Foundation
import HTTPServer
import LinuxSystem
import TestSupport
import Testing

/// Clients that could block a server for other clients, by accident or on purpose.
@Suite(.realTime) struct HTTPServerAttackTests {
  private func server(
    _ handler: Echo = Echo(), _ change: (inout ServerLimits) -> Void = { _ in }
  ) throws -> HTTPServer {
    var limits = ServerLimits.patient
    change(&limits)
    return try HTTPServer(
      at: ListenAddress(host: "127.0.0.1", port: 0), limits: limits, handler: handler)
  }

  private func connections(_ count: Int, to server: HTTPServer) throws -> [RawConnection] {
    try (0..<count).map { _ in try RawConnection(port: server.address.port) }
  }

  private func isServing(_ server: HTTPServer) throws -> Bool {
    try RawConnection(port: server.address.port).ask("GET", "/")?.status == 200
  }

  @Test(arguments: [8, 9, 16, 17, 40])
  func `a server still serves other clients after all its connections have broken at once`(
    count: Int
  ) throws {
    let server = try server { $0.connections = 8 }
    for _ in 0..<3 {
      for client in try connections(count, to: server) { client.send("GET / HT") }
      #expect(try isServing(server))
    }
  }

  @Test
  func `a server still serves other clients after it has closed all its connections`()
    throws
  {
    let server = try server {
      $0.connections = 8
      $0.headSeconds = 0.2
    }
    let clients = try connections(8, to: server)
    for client in clients { #expect(client.ask("GET", "/")?.status == 200) }
    for client in clients { #expect(client.isClosed()) }
    #expect(try isServing(server))
  }

  @Test func `idle connections do not block other clients`() throws {
    let server = try server { $0.connections = 8 }
    let first = try connections(1, to: server)[0]
    #expect(first.ask("GET", "/")?.status == 200)
    let idle = try connections(40, to: server)
    for _ in 0..<5 { #expect(try isServing(server)) }
    // The connections that had been idle the longest were closed.
    #expect(first.isClosed())
    #expect(idle[0].isClosed())
  }

  @Test func `one client cannot occupy all connection slots`() throws {
    let server = try server {
      $0.connections = 100
      $0.connectionsPerClient = 4
    }
    let idle = try connections(12, to: server)
    #expect(try isServing(server))
    for client in idle[..<8] { #expect(client.isClosed()) }
  }

  @Test func `a busy client is not disconnected to make space for a new one`() async throws {
    let echo = Echo(isPatient: true)
    let server = try server(echo) {
      $0.connections = 3
      $0.connectionsPerClient = 3
    }
    let busy = try connections(2, to: server)
    for (index, client) in busy.enumerated() {
      client.send("PUT", "/\(index)", body: [1])
      #expect(await echo.arrival() == "/\(index)")
    }
    let newcomers = try connections(10, to: server)
    for newcomer in newcomers.dropLast() { #expect(newcomer.isClosed()) }
    newcomers[9].send("PUT", "/2", body: [1])
    #expect(await echo.arrival() == "/2")
    // Every connection has a request in progress, so no slot can be freed.
    #expect(try connections(1, to: server)[0].isClosed())
    echo.answerAll()
    for client in busy + [newcomers[9]] { #expect(client.answer()?.body == [1]) }
  }

  @Test(arguments: [
    "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
      + "Content-Length: -9223372036854775808\r\n\r\n1\r\na\r\n0\r\n\r\n",
    "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
    "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length : 1\r\n\r\na",
    "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\u{0}0\r\n\r\na",
    "GET / HTTP/1.1\r\nHost: x\r\nX: a\u{0}b\r\nY: c\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n",
    "GET / HTTP/1.1\nHost: x\n\n",
    "GET / HTTP/1.1\r\nHost: x\r\nX: a\rContent-Length: 1\r\n\r\n",
    "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n",
    "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    "PUT / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
  ])
  func `a connection ends after an ambiguous or invalid header`(head: String) throws {
    let server = try server()
    let client = try RawConnection(port: server.address.port)
    client.send(head)
    #expect(client.answer()?.status == 400)
    #expect(client.isOver())
    #expect(try isServing(server))
  }

  @Test
  func `pipelined requests with long headers are answered, and an overlong header is rejected`()
    throws
  {
    let server = try server()
    let client = try RawConnection(port: server.address.port)
    let fields = (0..<50).map { ("X-\($0)", String(repeating: "a", count: 200) + " ") }
    // The requests are sent without waiting for responses, so libmicrohttpd already has the next
    // one while it responds.
    for index in 0..<20 { client.send("GET", "/\(index)", fields: fields) }
    for index in 0..<20 { #expect(client.answer()?.fields["x-path"] == "/\(index)") }
    let long = [("X-Long", String(repeating: "a", count: 16_500))]
    #expect(client.ask("GET", "/", fields: long)?.status == 431)
    let other = try RawConnection(port: server.address.port)
    #expect(
      other.ask("GET", "/", fields: [("X-Long", String(repeating: "a", count: 16_000))])?.status
        == 200)
  }

  @Test(arguments: ["Content-Length: 8000000", "Transfer-Encoding: chunked"])
  func `a refusal is sent before the body arrives`(field: String) throws {
    let server = try server { $0.connections = 8 }
    let clients = try connections(8, to: server)
    for client in clients {
      client.send("PUT / HTTP/1.1\r\nHost: x\r\nAuthorization: nobody\r\n\(field)\r\n\r\n")
      #expect(client.answer()?.status == 401)
    }
    #expect(try isServing(server))
  }

  @Test func `a declared body does not count towards the memory limit until it arrives`() throws {
    let server = try server {
      $0.body = 100_000
      $0.bodies = 150_000
    }
    let announced = try connections(6, to: server)
    for client in announced {
      client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\na")
    }
    let client = try RawConnection(port: server.address.port)
    let body = [UInt8](repeating: 1, count: 100_000)
    #expect(client.ask("PUT", "/", body: body)?.body == body)
  }

  @Test func `slow request bodies from one party do not block other parties`() throws {
    let server = try server {
      $0.connections = 40
      $0.connectionsPerClient = 40
      $0.requestsPerParty = 10
    }
    func slow(_ party: String) throws -> RawConnection {
      let client = try RawConnection(port: server.address.port)
      client.send("PUT /x HTTP/1.1\r\nHost: x\r\nX-Party: \(party)\r\nContent-Length: 9\r\n\r\na")
      return client
    }
    let other = try slow("other")
    let many = try (0..<100).map { _ in try slow("one") }
    for _ in 0..<10 {
      let client = try RawConnection(port: server.address.port)
      #expect(client.ask("PUT", "/y", fields: [("X-Party", "third")], body: [1])?.status == 200)
    }
    // The party's oldest request was dropped, and its newest request continues.
    #expect(many[0].isClosed())
    many[99].send("bcdefghi")
    #expect(many[99].answer()?.status == 200)
    other.send("bcdefghi")
    #expect(other.answer()?.status == 200)
  }

  @Test func `large bodies from one party leave memory for other parties`() async throws {
    let echo = Echo(isPatient: true)
    var limits = ServerLimits.patient
    limits.bodies = 400_000
    let server = try HTTPServer(
      at: ListenAddress(host: "127.0.0.1", port: 0), limits: limits, handler: echo)
    defer { server.stop() }
    let body = [UInt8](repeating: 1, count: 100_000)
    func send(_ party: String, _ path: String) throws -> RawConnection {
      let client = try RawConnection(port: server.address.port)
      client.send("PUT", path, fields: [("X-Party", party)], body: body)
      return client
    }
    var waiting: [RawConnection] = []
    for number in 0..<3 {
      waiting.append(try send("one", "/\(number)"))
      #expect(await echo.arrival() == "/\(number)")
    }
    #expect(try send("one", "/3").answer()?.status == 503)
    waiting.append(try send("other", "/4"))
    #expect(await echo.arrival() == "/4")
    echo.answerAll()
    for client in waiting { #expect(client.answer()?.status == 200) }
  }

  @Test func `a connection is closed if the rest of a rejected body does not arrive soon`() throws {
    let server = try server {
      $0.body = 1_000
      $0.refusedBodySeconds = 0.2
    }
    let client = try RawConnection(port: server.address.port)
    client.send("PUT /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    client.send("5dc\r\n" + String(repeating: "a", count: 1_500) + "\r\n")
    #expect(client.isClosed())
  }

  @Test func `connections with outdated TLS versions are rejected`() async throws {
    let certificate = try await TestCertificate.signed(by: nil, for: ["IP:127.0.0.1"])
    let server = try HTTPServer(
      at: ListenAddress(host: "127.0.0.1", port: 0),
      identity: HTTPServer.Identity(
        certificate: String(contentsOfFile: certificate.file, encoding: .utf8),
        key: String(contentsOfFile: certificate.keyFile, encoding: .utf8)), handler: Echo())
    for (version, isSpoken) in [
      ("-tls1", false), ("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true),
    ] {
      let outcome = try await Program.run(
        "/usr/bin/openssl",
        [
          "s_client", "-connect", "\(server.address)", version, "-cipher", "ALL:@SECLEVEL=0",
        ])
      #expect((outcome.status == 0) == isSpoken, "\(version): \(outcome.output)")
    }
  }
}
