import Coding
import LinuxSystem
import Fleet
import TestSupport
import Testing
import Values

/// Objects in a real S3 service, which checks signatures.
@Suite(.realTime, .enabled(if: S3Server.isInstalled, S3Server.absence))
struct ObjectStoreTests {
  private let server: S3Server
  private let place = S3Server.newPlace()

  init() async throws {
    server = try await S3Server.running()
  }

  private func store(
    _ url: String? = nil, place: String? = nil, id: String? = nil, secret: String? = nil
  ) throws -> ObjectStore {
    try ObjectStore(
      ObjectStoreAddress((url ?? server.url) + (place ?? self.place)), region: "us-east-1",
      key: ObjectStoreKey(id: id ?? server.key, secret: secret ?? server.secret))
  }

  private func file(_ bytes: [UInt8]) throws -> (file: UnnamedFile, hash: String) {
    let file = try UnnamedFile()
    try file.append(bytes)
    return (file, Hexadecimal.text(SHA256.hash(of: bytes)))
  }

  private func failure(_ body: () async throws -> Void) async -> ObjectStoreError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? ObjectStoreError
    }
  }

  @Test func `an object is created only once, and its byte ranges can be read`() async throws {
    let store = try store()
    // The object is larger than all buffers along the way.
    var generator = SeededGenerator(seed: 5)
    let bytes = (0..<3_000_000).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
    let (file, hash) = try file(bytes)
    try await store.put(file, hash: hash, as: "sessions/a-1")
    for range in [0..<1, 0..<bytes.count, 1_999_990..<2_000_010] {
      let (part, size) = try await store.read("sessions/a-1", .bytes(range))
      #expect(part == Array(bytes[range]) && size == bytes.count)
    }
    #expect(try await store.read("sessions/a-1", .last(64)).bytes == Array(bytes.suffix(64)))
    let (other, otherHash) = try self.file([1, 2, 3])
    #expect(
      await failure { try await store.put(other, hash: otherHash, as: "sessions/a-1") }?.kind
        == .exists)
    #expect(try await store.read("sessions/a-1", .last(1)).size == bytes.count)
    #expect(await failure { _ = try await store.read("sessions/b", .last(1)) }?.kind == .missing)
    #expect(
      await failure {
        _ = try await store.read("sessions/a-1", .bytes(3_000_000..<3_000_001))
      }?.kind == .tooShort)
  }

  @Test
  func `an invalid key, a missing bucket and an unreachable service are reported with a remedy`()
    async throws
  {
    func read(_ store: ObjectStore) async -> ObjectStoreError? {
      await failure { _ = try await store.read("a", .last(1)) }
    }
    let wrong = await read(try store(secret: server.secret + "x"))
    #expect(wrong?.kind == .refused && wrong?.message.contains("SignatureDoesNotMatch") == true)
    #expect(wrong?.remedy.contains("clock") == true)
    let unknown = await read(try store(id: "stranger"))
    #expect(unknown?.kind == .refused && unknown?.remedy.contains("access key") == true)
    let noBucket = await read(try store(place: "/wolks"))
    #expect(noBucket?.kind == .refused && noBucket?.remedy.contains("bucket") == true)
    let dead = try FaultServer.deadPort()
    let away = await read(try store("http://127.0.0.1:\(dead)"))
    #expect(away?.kind == .unavailable && away?.remedy.isEmpty == false)
  }

  @Test(arguments: [
    (FaultServer.Rule.status(200, body: "<html>Welcome to our hotel</html>"), "foreign"),
    (.status(206, fields: ["Content-Range": "bytes 0-1/2"], body: "abc"), "foreign"),
    (.status(404, body: "<html>"), "foreign"), (.status(503), "unavailable"),
    (.status(500), "unknownOutcome"), (.effect("reset"), "unknownOutcome"),
    (.status(403, body: "<Error><Code>RequestTimeTooSkewed</Code></Error>"), "refused"),
  ])
  func `foreign responses, server errors and broken connections are reported as different failures`(
    _ rule: FaultServer.Rule, _ kind: String
  ) async throws {
    let fault = try await FaultServer.start([rule])
    let store = try store(fault.url())
    let reading = await failure { _ = try await store.read("a", .last(1)) }
    #expect(reading.map { "\($0.kind)" } == kind, "\(reading.map { "\($0)" } ?? "")")
    let (file, hash) = try file([1])
    let writing = await failure { try await store.put(file, hash: hash, as: "a") }
    #expect(writing.map { "\($0.kind)" } == kind, "\(writing.map { "\($0)" } ?? "")")
    await fault.stop()
  }
}
