import HTTPClient
import LinuxSystem
import TestSupport
import Testing

/// Faults between a client and a server, on real connections.
@Suite(.realTime) struct TransferFaultTests {
  private let body = [UInt8](repeating: 7, count: 200_000)

  /// Sends a request with a body, which must fail. Returns the error.
  private func put(
    _ client: HTTPClient, _ url: String
  ) async throws -> TransferError {
    try await failure(
      client,
      HTTPRequest(
        "PUT", url + "/v1/chunks/x?key=hidden-key",
        fields: [.init("Authorization", "Bearer hidden-token")], body: body))
  }

  private func expect(
    _ error: TransferError, _ kind: TransferError.Kind, _ words: String, remedy: String = "",
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(error.kind == kind, "\(error)", sourceLocation: location)
    #expect(error.reason.contains(words), "\(error)", sourceLocation: location)
    #expect(error.remedy.contains(remedy), "\(error.remedy)", sourceLocation: location)
    #expect(!"\(error)\(error.remedy)".contains("hidden"), sourceLocation: location)
  }

  @Test func `a connection to a port without a listener is reported as refused`() async throws {
    let port = try FaultServer.deadPort()
    expect(
      try await put(try makeClient(), "http://127.0.0.1:\(port)"), .unreachable,
      "cannot connect to 127.0.0.1:\(port): Connection refused", remedy: "server is running")
  }

  @Test func `a host name without an address is reported`() async throws {
    expect(
      try await put(try makeClient(), "http://nowhere.invalid"), .unreachable,
      "cannot resolve the name 'nowhere.invalid'", remedy: "name server")
  }

  @Test func `a host name that cannot be encoded is reported`() async throws {
    let name = String(repeating: "ü", count: 70)
    expect(
      try await put(try makeClient(), "http://\(name)"), .impossible,
      "cannot send the request to \(name):80: ", remedy: "check the address")
  }

  @Test(arguments: ["reset", "reset-body", "lost", "cut-head", "truncated"])
  func `a connection that breaks after the start of the request is reported`(_ effect: String)
    async throws
  {
    let server = try await FaultServer.start([.effect(effect)])
    expect(
      try await put(try makeClient(), server.url()), .interrupted,
      "the connection to 127.0.0.1:\(server.port) broke: ")
  }

  @Test func `a response that is not HTTP is rejected`() async throws {
    let server = try await FaultServer.start([.effect("garbage")])
    expect(
      try await put(try makeClient(), server.url()), .interrupted, "is not HTTP",
      remedy: "address and its port")
  }

  @Test func `a response that is longer than the limit is rejected`() async throws {
    let server = try await FaultServer.start([.effect("endless")])
    let client = try makeClient { $0.largestAnswer = 100_000 }
    expect(try await put(client, server.url()), .interrupted, "is longer than 100000 bytes")
  }

  @Test func `a request that gets no response times out`() async throws {
    let server = try await FaultServer.start([.effect("stall")])
    let client = try makeClient { $0.stallSeconds = 1.5 }
    expect(
      try await put(client, server.url()), .interrupted,
      "no data was exchanged with 127.0.0.1:\(server.port) for 1.5 s")
  }

  @Test func `a server that stops reading in the middle of a body is reported`() async throws {
    let server = try await FaultServer.start([.effect("stop-reading")])
    let client = try makeClient { $0.stallSeconds = 2 }
    // More bytes than both sockets can buffer.
    let large = HTTPRequest(
      "PUT", server.url() + "/v1/chunks/x", body: [UInt8](repeating: 1, count: 20_000_000))
    expect(try await failure(client, large), .interrupted, "no data was exchanged")
  }

  @Test
  func `the client does not give up on a slow server that keeps making progress`() async throws {
    let server = try await FaultServer.start([.effect("drip")])
    let client = try makeClient { $0.stallSeconds = 1.5 }
    let task = Task { try await put(client, server.url()) }
    // This is longer than the client waits for a server that makes no progress.
    try await Task.sleep(for: .seconds(4))
    task.cancel()
    expect(try await task.value, .cancelled, "cancelled")
  }

  @Test func `the client eventually gives up on a response that arrives byte by byte forever`()
    async throws
  {
    let server = try await FaultServer.start([.effect("drip")])
    let client = try makeClient { $0.answerSeconds = 1.5 }
    expect(
      try await put(client, server.url()), .interrupted,
      "the response from 127.0.0.1:\(server.port) was not complete within 1.5 s",
      remedy: "address")
  }

  @Test func `a request is not delayed by another request that gets no response`() async throws {
    let server = try await FaultServer.start([.effect("stall").on("PUT")])
    let client = try makeClient()
    let isOver = StopFlag()
    let first = Task {
      let error = try await put(client, server.url())
      isOver.raise()
      return error
    }
    try await wait(for: "the first request arrives") { await server.requests.count == 1 }
    let answer = try await client.perform(HTTPRequest("GET", server.url() + "/v1/"))
    #expect(answer.status == 200)
    #expect(!isOver.isRaised)
    first.cancel()
    expect(try await first.value, .cancelled, "cancelled")
  }

  @Test func `a success response sent before the server has received the body is not trusted`()
    async throws
  {
    let server = try await FaultServer.start([.effect("early")])
    // More bytes than both sockets can buffer.
    let large = HTTPRequest(
      "PUT", server.url() + "/v1/chunks/x", body: [UInt8](repeating: 1, count: 20_000_000))
    expect(
      try await failure(try makeClient(), large), .interrupted,
      "ended its response before the request was complete", remedy: "mixes up responses")
  }

  @Test func `a server that never answers the TLS handshake is reported`() async throws {
    let listener = try TCPListener()
    let client = try makeClient { $0.connectSeconds = 1 }
    expect(
      try await put(client, "https://127.0.0.1:\(listener.port)"), .unreachable,
      "no connection to 127.0.0.1:\(listener.port) within 1 s")
  }

  @Test func `a redirect is returned as a response and not followed`() async throws {
    let other = try await FaultServer.start()
    let server = try await FaultServer.start([.redirect(to: other.url() + "/v1/", status: 307)])
    let answer = try await makeClient().perform(
      HTTPRequest("PUT", server.url() + "/v1/chunks/x", body: body))
    #expect(answer.status == 307)
    #expect(answer["location"] == other.url() + "/v1/")
    #expect(await other.requests.isEmpty)
  }

  @Test func `a request on a reused connection that the server resets is repeated`() async throws {
    let server = try await FaultServer.start([.effect("reset").on(after: 1, times: 1)])
    let client = try makeClient()
    let address = server.url() + "/v1/"
    #expect(try await client.perform(HTTPRequest("GET", address)).status == 200)
    // If a reused connection breaks before any response, curl repeats the request automatically.
    #expect(try await client.perform(HTTPRequest("GET", address)).status == 200)
    #expect(await server.requests.map(\.effect) == ["none", "reset", "none"])
  }

  // MARK: Proxies

  @Test func `requests are forwarded by a proxy`() async throws {
    let server = try await FaultServer.start()
    let proxy = try await FaultServer.start()
    let client = try makeClient { $0.proxy = .address(proxy.url()) }
    #expect(try await client.perform(HTTPRequest("GET", server.url() + "/v1/")).status == 200)
    #expect(await proxy.requests.map(\.path) == [server.url() + "/v1/"])
    #expect(await server.requests.count == 1)
  }

  @Test func `a TLS server's certificate is verified even behind a proxy`() async throws {
    let authority = try await TestCertificate.authority()
    var options = FaultServer.Options()
    options.certificate = try await TestCertificate.signed(by: authority, for: ["IP:127.0.0.1"])
    let server = try await FaultServer.start([], options)
    let proxy = try await FaultServer.start()
    let client = try makeClient {
      $0.proxy = .address(proxy.url())
      $0.authorityFile = authority.file
    }
    #expect(try await client.perform(HTTPRequest("GET", server.url() + "/v1/")).status == 200)
    #expect(await proxy.requests.map(\.method) == ["CONNECT"])
    let other = try makeClient { $0.proxy = .address(proxy.url()) }
    expect(
      try await put(other, server.url()), .untrusted, "no trusted authority",
      remedy: "--ca-file")
  }

  @Test(arguments: [(403, TransferError.Kind.untrusted), (503, .unreachable)])
  func `a proxy that refuses a request is reported`(_ status: Int, _ kind: TransferError.Kind)
    async throws
  {
    let proxy = try await FaultServer.start([.status(status)])
    let client = try makeClient { $0.proxy = .address(proxy.url()) }
    expect(
      try await put(client, "https://127.0.0.1:9"), kind,
      "the proxy rejected a tunnel to 127.0.0.1:9 (status \(status))", remedy: "proxy")
  }

  @Test func `an unreachable proxy is reported`() async throws {
    let port = try FaultServer.deadPort()
    let client = try makeClient { $0.proxy = .address("http://127.0.0.1:\(port)") }
    expect(
      try await put(client, "http://127.0.0.1:9"), .unreachable,
      "cannot connect to 127.0.0.1:9 or its proxy: Connection refused")
  }

  @Test func `a proxy whose name cannot be resolved is reported`() async throws {
    let client = try makeClient { $0.proxy = .address("http://nowhere.invalid:3128") }
    expect(
      try await put(client, "http://127.0.0.1:9"), .unreachable,
      "cannot resolve the name of the proxy for 127.0.0.1:9",
      remedy: "check the proxy's name")
  }

  // MARK: Certificates

  private func secure(_ certificate: TestCertificate, clients: String? = nil) async throws
    -> FaultServer
  {
    var options = FaultServer.Options()
    options.certificate = certificate
    options.clientAuthority = clients
    return try await FaultServer.start([], options)
  }

  @Test func `only a server certificate signed by the configured authority is trusted`()
    async throws
  {
    let authority = try await TestCertificate.authority()
    let server = try await secure(
      try await TestCertificate.signed(by: authority, for: ["DNS:localhost", "IP:127.0.0.1"]))
    let client = try makeClient { $0.authorityFile = authority.file }
    for host in ["localhost", "127.0.0.1"] {
      let answer = try await client.perform(
        HTTPRequest("GET", server.url(host: host) + "/v1/"))
      #expect(answer.status == 200)
    }
    // Without the file, or with another authority's file, the server is not trusted.
    let other = try await TestCertificate.authority(named: "Another")
    for client in [try makeClient(), try makeClient { $0.authorityFile = other.file }] {
      expect(
        try await put(client, server.url()), .untrusted,
        "no trusted authority has signed the certificate of 127.0.0.1:\(server.port)",
        remedy: "--ca-file")
    }
    #expect(
      await server.requests.count(where: { $0.method != nil }) == 2, "no request without trust"
    )
  }

  @Test func `a self-signed certificate is trusted only if the authority file contains it`()
    async throws
  {
    let certificate = try await TestCertificate.signed(by: nil, for: ["IP:127.0.0.1"])
    let server = try await secure(certificate)
    expect(try await put(try makeClient(), server.url()), .untrusted, "no trusted authority")
    let client = try makeClient { $0.authorityFile = certificate.file }
    #expect(try await client.perform(HTTPRequest("GET", server.url() + "/v1/")).status == 200)
  }

  @Test func `a certificate for another host is rejected`() async throws {
    let authority = try await TestCertificate.authority()
    let server = try await secure(
      try await TestCertificate.signed(by: authority, for: ["DNS:elsewhere.example"]))
    let client = try makeClient { $0.authorityFile = authority.file }
    expect(
      try await put(client, server.url()), .untrusted,
      "the certificate of 127.0.0.1:\(server.port) does not match", remedy: "use the host name")
  }

  @Test func `a certificate that is expired or not valid yet is rejected`()
    async throws
  {
    let authority = try await TestCertificate.authority()
    let client = try makeClient { $0.authorityFile = authority.file }
    let old = try await secure(
      try await TestCertificate.signed(by: authority, for: ["IP:127.0.0.1"], from: -9, until: -2))
    let expired = try await put(client, old.url())
    expect(expired, .untrusted, "has expired", remedy: "clock")
    #expect(!expired.isAboutTheClock)
    let new = try await secure(
      try await TestCertificate.signed(by: authority, for: ["IP:127.0.0.1"], from: 2, until: 9))
    let early = try await put(client, new.url())
    expect(early, .untrusted, "is not valid yet", remedy: "clock")
    #expect(early.isAboutTheClock)
  }

  @Test func `a client certificate is sent to a server that requires one`() async throws {
    let authority = try await TestCertificate.authority()
    let ours = try await TestCertificate.signed(by: authority, for: ["DNS:gateway"])
    let server = try await secure(
      try await TestCertificate.signed(by: authority, for: ["IP:127.0.0.1"]),
      clients: authority.file)
    let nobody = try makeClient { $0.authorityFile = authority.file }
    // The request has no body, because a reset during the body could arrive before the server's
    // message is read.
    let error = try await failure(nobody, HTTPRequest("GET", server.url() + "/v1/"))
    expect(error, .untrusted, "alert certificate required", remedy: "--certificate")
    let client = try makeClient {
      $0.authorityFile = authority.file
      $0.certificateFile = ours.file
      $0.certificateKeyFile = ours.keyFile
    }
    #expect(try await client.perform(HTTPRequest("GET", server.url() + "/v1/")).status == 200)
    // This key does not belong to the certificate.
    let mixed = try makeClient {
      $0.authorityFile = authority.file
      $0.certificateFile = ours.file
      $0.certificateKeyFile = authority.keyFile
    }
    expect(
      try await put(mixed, server.url()), .untrusted,
      "cannot use the client certificate \(ours.file)",
      remedy: "--certificate-key")
  }

  @Test func `a connection that breaks during TLS ends only the request that uses it`() async throws
  {
    // Writing to such a connection raises a signal, which would end the process if it were not
    // suppressed.
    let certificate = try await TestCertificate.signed(by: nil, for: ["IP:127.0.0.1"])
    var options = FaultServer.Options()
    options.certificate = certificate
    let server = try await FaultServer.start([.effect("reset").on(times: 5)], options)
    let client = try makeClient { $0.authorityFile = certificate.file }
    let large = HTTPRequest(
      "PUT", server.url() + "/v1/chunks/x", body: [UInt8](repeating: 1, count: 5_000_000))
    for _ in 0..<5 { expect(try await failure(client, large), .interrupted, "broke") }
    #expect(try await client.perform(HTTPRequest("GET", server.url() + "/v1/")).status == 200)
  }

  @Test func `a missing certificate file is reported`() async throws {
    let server = try await secure(
      try await TestCertificate.signed(by: nil, for: ["IP:127.0.0.1"]))
    let client = try makeClient { $0.authorityFile = "/nowhere/ca.pem" }
    expect(
      try await put(client, server.url()), .untrusted,
      "cannot read certificates from /nowhere/ca.pem", remedy: "--ca-file")
  }

  @Test
  func `TLS to a plain-text server is reported, and so is plain text to a TLS server`() async throws
  {
    let plain = try await FaultServer.start()
    expect(
      try await put(try makeClient(), "https://127.0.0.1:\(plain.port)"), .untrusted,
      "does not speak TLS", remedy: "http://")
    let server = try await secure(
      try await TestCertificate.signed(by: nil, for: ["IP:127.0.0.1"]))
    let error = try await put(try makeClient(), "http://127.0.0.1:\(server.port)")
    #expect([.interrupted, .unreachable].contains(error.kind))
  }
}
