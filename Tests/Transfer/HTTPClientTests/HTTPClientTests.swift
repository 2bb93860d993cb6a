import Foundation
import HTTPClient
import LinuxSystem
import TestSupport
import Testing

/// Creates a client that ignores the proxy in the environment. `change` can shorten the client's
/// limits.
func makeClient(_ change: (inout HTTPClientOptions) -> Void = { _ in }) throws -> HTTPClient {
  var options = HTTPClientOptions()
  options.proxy = .none
  options.agent = "footbridge/test"
  change(&options)
  return try HTTPClient(options)
}

/// Returns the error from a request. The test fails if the request succeeds.
func failure(
  _ client: HTTPClient, _ request: HTTPRequest
) async throws -> TransferError {
  do throws(TransferError) {
    let answer = try await client.perform(request)
    Issue.record("there was an answer: \(answer.status)")
    throw TransferError(.impossible, "an answer")
  } catch {
    return error
  }
}

@Suite(.realTime) struct HTTPClientTests {
  @Test func `a body arrives unchanged, and the client returns the complete response`() async throws
  {
    let server = try await FaultServer.start()
    let client = try makeClient()
    let body = [UInt8]("{\"session\":\"as it is\"}".utf8)
    let path = "/v1/sessions/5d3c0f4e-8a51-4d0c-9a63-0c1f2e3d4b5a"
    let hash = "sha-256=:" + Data(try await sha256(body)).base64EncodedString() + ":"
    let stored = try await client.perform(
      HTTPRequest("PUT", server.url() + path, fields: [.init("Content-Digest", hash)], body: body))
    #expect(stored.status == 201)
    #expect(stored["content-type"] == "application/json")
    #expect(
      String(decoding: stored.body, as: UTF8.self)
        == #"{"status": "stored", "digest": "\#(hash)"}"#)
    let read = try await client.perform(HTTPRequest("GET", server.url() + path))
    #expect(read.body == body)
    let head = try await client.perform(HTTPRequest("HEAD", server.url() + path))
    #expect(head.status == 200 && head.body.isEmpty)
    #expect(head["content-length"] == "\(body.count)")
    let seen = await server.requests
    #expect(seen.map(\.method) == ["PUT", "GET", "HEAD"])
    #expect(Set(seen.map(\.connection)) == [1], "one connection for all")
    #expect(seen.allSatisfy { $0.fields?["user-agent"] == "footbridge/test" })
    #expect(seen.allSatisfy { $0.fields?["expect"] == nil })
  }

  @Test func `a large body is sent at once, without waiting for 100 Continue`() async throws {
    let server = try await FaultServer.start()
    let client = try makeClient()
    let body = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    let answer = try await client.perform(
      HTTPRequest("POST", server.url() + "/v1/nowhere", body: body))
    #expect(answer.status == 400)
    let seen = try #require(await server.requests.first)
    #expect(seen.length == body.count)
    #expect(seen.sha256 == (try await sha256(body)).map { String(format: "%02x", $0) }.joined())
    #expect(seen.fields?["expect"] == nil)
  }

  @Test func `forty concurrent requests each get their own response`() async throws {
    let server = try await FaultServer.start()
    let client = try makeClient()
    let answers = await withTaskGroup(of: (Int, String).self) { group in
      for number in 0..<40 {
        group.addTask {
          let answer = try? await client.perform(
            HTTPRequest("GET", server.url() + "/v1/", fields: [.init("X-Number", "\(number)")]))
          return (number, String(decoding: answer?.body ?? [], as: UTF8.self))
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    #expect(answers.count == 40)
    #expect(answers.allSatisfy { $0.value.contains("\"number\": \"\($0.key)\"") })
    #expect(Set(await server.requests.compactMap { $0.fields?["x-number"] }).count == 40)
  }

  @Test(.enabled(if: hasIPv6, "SKIPPED: this computer has no ::1"))
  func `IPv4, IPv6 and host names with both kinds of address are supported`() async throws {
    var options = FaultServer.Options()
    options.host = "::1"
    let server = try await FaultServer.start([], options)
    let client = try makeClient()
    #expect(try await client.perform(HTTPRequest("GET", server.url() + "/v1/")).status == 200)
    #expect(server.url().hasPrefix("http://[::1]:"))
    let plain = try await FaultServer.start()
    for server in [server, plain] {
      let answer = try await client.perform(
        HTTPRequest("GET", "http://localhost:\(server.port)/v1/"))
      #expect(answer.status == 200)
    }
  }

  @Test func `a compressed response body is decompressed, up to a maximum size`() async throws {
    // The text "packed words", compressed with gzip.
    let script = """
      import gzip, http.server, sys
      class Handler(http.server.BaseHTTPRequestHandler):
          def do_GET(self):
              body = gzip.compress(b"packed words" if self.path == "/" else bytes(50_000_000))
              self.send_response(200)
              self.send_header("Content-Encoding", "gzip")
              self.send_header("Content-Length", str(len(body)))
              self.end_headers()
              self.wfile.write(body)
          def log_message(self, *words): pass
      server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
      print(server.server_address[1], flush=True)
      server.serve_forever()
      """
    let program = try Program("/usr/bin/python3", ["-c", script])
    let port = try #require(await program.line())
    let client = try makeClient()
    let answer = try await client.perform(HTTPRequest("GET", "http://127.0.0.1:\(port)/"))
    #expect(String(decoding: answer.body, as: UTF8.self) == "packed words")
    // Fifty megabytes that are compressed to fifty kilobytes for the transfer.
    let error = try await failure(client, HTTPRequest("GET", "http://127.0.0.1:\(port)/much"))
    #expect(error.kind == .interrupted)
    #expect(error.reason.contains("longer than 33554432 bytes"))
    _ = await program.wait(within: 0)
  }

  @Test func `cancelling a task ends its request, and later requests succeed`() async throws {
    let server = try await FaultServer.start([.effect("stall").on(path: "slow")])
    let client = try makeClient()
    let task = Task { try await failure(client, HTTPRequest("GET", server.url() + "/slow")) }
    try await wait(for: "the request arrives") { await !server.requests.isEmpty }
    task.cancel()
    #expect(try await task.value.kind == .cancelled)
    #expect(try await client.perform(HTTPRequest("GET", server.url() + "/v1/")).status == 200)
    // A request that is cancelled before it starts is never sent.
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await failure(client, HTTPRequest("GET", server.url() + "/slow"))
    }
    late.cancel()
    #expect(try await late.value.kind == .cancelled)
    #expect(await server.requests.count == 2)
  }

  @Test func `closing a client cancels requests in progress and rejects later ones`()
    async throws
  {
    let server = try await FaultServer.start([.effect("stall")])
    let client = try makeClient()
    let task = Task { try await failure(client, HTTPRequest("GET", server.url() + "/slow")) }
    try await wait(for: "the request arrives") { await !server.requests.isEmpty }
    client.close()
    #expect(try await task.value.kind == .cancelled)
    #expect(
      try await failure(client, HTTPRequest("GET", server.url() + "/v1/")).kind == .cancelled)
  }

  @Test(arguments: [
    "ftp://127.0.0.1/", "127.0.0.1/path", "http://", "https://user:secret@127.0.0.1/",
    "http://127.0.0.1:99999/", "http://127.0.0.1/a b", "file:///etc/passwd", "",
  ])
  func `an invalid URL is rejected, and the error does not show its password`(_ url: String)
    async throws
  {
    let error = try await failure(try makeClient(), HTTPRequest("GET", url))
    #expect(error.kind == .impossible)
    #expect(!error.reason.contains("secret"))
  }

  @Test func `a header field with a line ending or an invalid name is rejected`() async throws {
    let client = try makeClient()
    for field in [HTTPRequest.Field("Authorization", "Bearer a\r\nX: y"), .init("A b", "c")] {
      let error = try await failure(
        client, HTTPRequest("GET", "http://127.0.0.1:1/", fields: [field]))
      #expect(error.kind == .impossible)
      #expect(!error.reason.contains("Bearer"))
    }
  }

  @Test func `the client's thread has a name`() async throws {
    let client = try makeClient()
    let server = try await FaultServer.start()
    _ = try await client.perform(HTTPRequest("GET", server.url() + "/v1/"))
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").map {
      (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) ?? ""
    }
    #expect(names.contains("transfer\n"))
  }

  private func sha256(_ bytes: [UInt8]) async throws -> [UInt8] {
    let folder = try TemporaryFolder()
    try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/bytes"))
    let outcome = try await Program.run(
      "/usr/bin/openssl", ["dgst", "-sha256", "-r", folder.path + "/bytes"])
    try #require(outcome.status == 0, "\(outcome.errors)")
    let digits = Array(outcome.output.prefix { $0 != " " })
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
  }
}
