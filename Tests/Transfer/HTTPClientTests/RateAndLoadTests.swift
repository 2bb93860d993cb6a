import Foundation
import HTTPClient
import LinuxSystem
import TestSupport
import Testing

@Suite(.realTime) struct RateAndLoadTests {
  @Test func `concurrent requests together stay within the rate limit and use at least half of it`()
    async throws
  {
    let server = try await FaultServer.start()
    let rate = 100_000
    let client = try makeClient { $0.bytesPerSecond = rate }
    let clock = ContinuousClock()
    let start = (clock: clock.now, given: GivenTime.now)
    // Ten requests of 40 kB, three at a time, take 4 s at this rate, minus the burst.
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<3 {
        group.addTask {
          for _ in 0..<(lane == 0 ? 4 : 3) {
            let answer = try? await client.perform(
              HTTPRequest(
                "PUT", server.url() + "/v1/chunks/x", body: [UInt8](repeating: 3, count: 40_000)))
            #expect(answer?.status == 400)
          }
        }
      }
    }
    let seconds = (clock.now - start.clock) / .seconds(1)
    let given = GivenTime.now.seconds(since: start.given)
    let sent = await server.requests.reduce(0) { $0 + ($1.length ?? 0) }
    #expect(sent == 400_000)
    // A burst of a quarter of a second is allowed on top of the limit.
    #expect(seconds >= 3.6)
    #expect(given < 8, "at least half of the rate is used")
  }

  @Test func `ten thousand requests leak neither memory nor connections`() async throws {
    let script = """
      import asyncio
      async def serve(reader, writer):
          try:
              while True:
                  head = await reader.readuntil(b"\\r\\n\\r\\n")
                  size = [line for line in head.lower().split(b"\\r\\n") if line.startswith(b"content-length:")]
                  if size: await reader.readexactly(int(size[0].split(b":")[1]))
                  writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: 19\\r\\n\\r\\n"
                               b'{"status":"stored"}')
          except (asyncio.IncompleteReadError, ConnectionError): writer.close()
      async def main():
          server = await asyncio.start_server(serve, "127.0.0.1", 0)
          print(server.sockets[0].getsockname()[1], flush=True)
          await server.serve_forever()
      asyncio.run(main())
      """
    let program = try Program("/usr/bin/python3", ["-c", script])
    let port = try #require(await program.line())
    // The test runs in a separate process, because other tests use memory and descriptors too.
    await #expect(processExitsWith: .success) { [port = port as String] in
      let load = try Load(port: port)
      try await load.send(500, "PUT")
      let before = (descriptors: try openDescriptors(), memory: try anonymousKilobytes())
      for method in ["PUT", "GET"] { try await load.send(5_000, method) }
      let grown = try anonymousKilobytes() - before.memory
      // If every body leaked, the memory would grow by 40,000 kB. AddressSanitizer keeps freed
      // memory.
      if ProcessInfo.processInfo.environment["ASAN_OPTIONS"] == nil {
        #expect(grown < 10_000, "grown by \(grown) kB over 10,000 requests")
      }
      #expect(try openDescriptors() <= before.descriptors)
    }
    _ = await program.wait(within: 0)
  }
}

/// Sends requests one after the other.
private struct Load {
  private let client: HTTPClient
  private let port: String
  private let body = [UInt8](repeating: 5, count: 8_000)

  init(port: String) throws {
    client = try makeClient()
    self.port = port
  }

  func send(_ count: Int, _ method: String) async throws {
    for _ in 0..<count {
      let answer = try await client.perform(
        HTTPRequest(
          method, "http://127.0.0.1:\(port)/v1/chunks/x",
          fields: [.init("Authorization", "Bearer abc")], body: method == "PUT" ? body : []))
      #expect(answer.status == 200)
    }
  }
}

private func openDescriptors() throws -> Int {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}

private func anonymousKilobytes() throws -> Int {
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon") })
  return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
}
