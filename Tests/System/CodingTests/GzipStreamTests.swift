import Coding
import TestSupport
import Testing

@Suite(.computation) struct GzipStreamTests {
  /// Decompresses `packed` in pieces of this many bytes.
  private func unpack(
    _ packed: [UInt8], by size: Int
  ) throws -> (content: [UInt8], isComplete: Bool) {
    var stream = try GzipStream()
    var content: [UInt8] = []
    for start in stride(from: 0, to: packed.count, by: size) {
      try stream.take(Array(packed[start..<min(start + size, packed.count)])) { content += $0 }
    }
    return (content, stream.isComplete)
  }

  /// Content that is many times longer than the buffer. Part of it compresses poorly.
  private let body: [UInt8] = {
    var generator = SeededGenerator(seed: 1)
    return (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 % 977 < 900 ? 0 : generator.next()) }
  }()

  @Test(arguments: [1_009, 65_536, 10_000_000])
  func `pieces of any size yield the whole content`(_ size: Int) throws {
    let packed = try #require(Gzip.pack(body))
    let unpacked = try unpack(packed, by: size)
    #expect(unpacked.content == body)
    #expect(unpacked.isComplete)
  }

  @Test func `a concatenated file's parts are decompressed one after the other`() throws {
    let packed = try #require(Gzip.pack(Array(body.prefix(5_000))))
    let unpacked = try unpack(packed + packed, by: 7)
    #expect(unpacked.content == Array(body.prefix(5_000)) + body.prefix(5_000))
    #expect(unpacked.isComplete)
  }

  @Test func `a truncated file yields its beginning and is reported as incomplete`() throws {
    let packed = try #require(Gzip.pack(body))
    let unpacked = try unpack(Array(packed.dropLast(packed.count / 2)), by: 4_096)
    #expect(!unpacked.isComplete)
    #expect(unpacked.content.count > 100_000)
    #expect(unpacked.content.elementsEqual(body.prefix(unpacked.content.count)))
  }

  @Test func `bytes that are not gzip are rejected`() {
    #expect(throws: Gzip.Problem.self) { try unpack(Array("epoch (ms)".utf8), by: 4) }
  }
}
