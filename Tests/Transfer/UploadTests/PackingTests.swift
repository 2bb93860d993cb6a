@testable import Upload
import HTTPClient
import LinuxSystem
import TestSupport
import Testing

@Suite(.realTime, .enabled(if: Emulator.isInstalled, Emulator.absence))
struct PackingTests {
  /// Wraps uncompressed data in gzip format (RFC 1952).
  @Sendable private static func pack(_ bytes: [UInt8]) -> [UInt8]? {
    var packed: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]
    for start in stride(from: 0, to: bytes.count, by: 65_535) {
      let block = bytes[start..<min(start + 65_535, bytes.count)]
      let length = UInt16(block.count)
      packed.append(start + block.count == bytes.count ? 1 : 0)
      for word in [length, ~length] { packed += [UInt8(word & 0xff), UInt8(word >> 8)] }
      packed += block
    }
    var checksum = ~UInt32(0)
    for byte in bytes {
      checksum ^= UInt32(byte)
      for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0xedb8_8320 : 0) }
    }
    for word in [~checksum, UInt32(bytes.count)] {
      for shift in stride(from: UInt32(0), through: 24, by: 8) {
        packed.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    return packed
  }

  /// Counts compressed and uncompressed bodies, and optionally rejects compressed ones.
  private final class Gate: HTTPExchange {
    private let exchange: any HTTPExchange
    private let takesPacked: Bool
    private let seen = Guarded<[String]>([])

    init(_ exchange: any HTTPExchange, takesPacked: Bool) {
      self.exchange = exchange
      self.takesPacked = takesPacked
    }

    var codings: [String] { seen.withLock { $0 } }

    func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse {
      let isPacked = request.fields.contains { $0.name == "Content-Encoding" }
      if request.url.hasSuffix(":commit") {
        seen.withLock { $0.append(isPacked ? "gzip" : "plain") }
      }
      if isPacked, !takesPacked { return HTTPResponse(status: 415) }
      return try await exchange.perform(request)
    }
  }

  @Test(arguments: [(true, ["gzip", "gzip"]), (false, ["gzip", "plain", "plain"])])
  func `bodies are compressed for as long as the server accepts compression`(
    _ takesPacked: Bool, _ codings: [String]
  ) async throws {
    let emulator = try await Emulator.running()
    let gate = Gate(emulator.client, takesPacked: takesPacked)
    let session = MadeSession(sizes: [300, 300])
    let destination = FirestoreDestination(
      FirestorePlace(project: Emulator.project(), layout: .compact, gateway: "G"),
      credentials: .none, over: gate, chunksPerCommit: 1, pack: Self.pack,
      environment: emulator.environment)
    for chunk in session.chunks.prefix(2) {
      let verdicts = await destination.store([chunk], of: session)
      #expect(verdicts == [.stored])
    }
    #expect(gate.codings == codings)
  }
}
