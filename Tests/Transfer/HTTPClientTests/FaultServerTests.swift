import LinuxSystem
import TestSupport
import Testing
import Values

/// Tests of the fault server with an independent client, because the upload tests depend on it.
@Suite(.realTime) struct FaultServerTests {
  @Test func `the server stores uploads, logs requests, and fails as configured`() async throws {
    let folder = try TemporaryFolder()
    var options = FaultServer.Options()
    options.folder = folder.path
    let server = try await FaultServer.start(
      [
        .status(503, fields: ["Retry-After": "7"]).on("PUT", times: 1),
        .effect("lost").on("PUT", after: 1, times: 1),
        .effect("flip").on("PUT", path: "chunks", after: 2, times: 1),
      ], options)
    let id = UniqueID.random()
    let script = """
      import base64, hashlib, http.client, json, sys
      body = b"a chunk"
      def put():
          connection = http.client.HTTPConnection("127.0.0.1", \(server.port))
          connection.request("PUT", "/v1/chunks/\(id)", body=body, headers={"Content-Digest":
              "sha-256=:" + base64.b64encode(hashlib.sha256(body).digest()).decode() + ":"})
          answer = connection.getresponse()
          return answer.status, answer.getheader("Retry-After"), json.loads(answer.read() or b"null")
      print(put())
      try: print(put())
      except ConnectionError as error: print(type(error).__name__)
      print(put()[2]["error"]["code"])
      status, _, said = put()
      print(status, said["status"], said["digest"].startswith("sha-256=:"))
      body = b"another"
      print(put()[0])
      """
    let outcome = try await Program.run("/usr/bin/python3", ["-c", script])
    #expect(
      outcome.output == """
        (503, '7', None)
        ConnectionResetError
        digest-mismatch
        200 held True
        409

        """, "\(outcome.errors)")
    #expect(try server.chunks() == [id: Array("a chunk".utf8)])
    #expect(await server.requests.map(\.effect) == ["status", "lost", "flip", "none", "none"])
    #expect(await server.requests.map(\.status) == [503, 201, 400, 200, 409])
  }

  @Test func `a test certificate is valid only during its configured period`() async throws {
    let authority = try await TestCertificate.authority()
    let certificate = try await TestCertificate.signed(by: authority, for: ["DNS:localhost"])
    let late = try await TestCertificate.signed(
      by: authority, for: ["DNS:localhost"], from: -20, until: -10)
    for (certificate, status) in [(certificate, Int32(0)), (late, 2)] {
      let outcome = try await Program.run(
        "/usr/bin/openssl", ["verify", "-CAfile", authority.file, certificate.file])
      #expect(outcome.status == status, "\(outcome.errors)")
    }
  }
}
