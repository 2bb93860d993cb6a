import Foundation
import HTTPClient
import TestSupport
import Testing

/// Tests of the client with a server that supports only HTTP/2.
@Suite(
  .realTime,
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/nghttpd"),
    "nghttpd of the package nghttp2-server is not installed"))
struct HTTP2Tests {
  @Test(arguments: [nil, 200_000])
  func `many bodies share one connection, with and without a rate limit`(_ rate: Int?) async throws
  {
    let authority = try await TestCertificate.authority()
    let certificate = try await TestCertificate.signed(by: authority, for: ["IP:127.0.0.1"])
    let port = try FaultServer.freePort()
    let program = try Program(
      "/usr/sbin/nghttpd",
      [
        "--address=127.0.0.1", "--echo-upload", "--verbose", "\(port)", certificate.keyFile,
        certificate.file,
      ])
    let client = try makeClient {
      $0.authorityFile = authority.file
      $0.bytesPerSecond = rate
    }
    // The server does not report when it has started to listen.
    var isThere = false
    while !isThere, program.isRunning {
      isThere = (try? await client.perform(HTTPRequest("GET", "https://127.0.0.1:\(port)/"))) != nil
    }
    #expect(isThere)
    let wrong = await withTaskGroup(of: Int.self) { group in
      for number in 0..<20 {
        group.addTask {
          let body = [UInt8]((0..<30_000).map { UInt8(truncatingIfNeeded: $0 &* (number + 3)) })
          let answer = try? await client.perform(
            HTTPRequest("PUT", "https://127.0.0.1:\(port)/\(number)", body: body))
          return answer?.status == 200 && answer?.body == body ? 0 : 1
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
    let outcome = await program.wait(within: 0)
    // Each line of the server's log begins with the number of a connection.
    let connections = Set(
      outcome.output.split(separator: "\n").filter { $0.contains(":path: /") }
        .compactMap { $0.split(separator: "]").first })
    #expect(connections.count == 1, "\(connections)")
  }
}
