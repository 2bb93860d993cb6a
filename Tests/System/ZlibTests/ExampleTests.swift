import TestSupport
import Testing
import Zlib

/// The example of the library's documentation.
@Suite(.computation) struct ExampleTests {
  @Test func `the example of Zlib runs`() throws {
    let body = [UInt8](repeating: 0x20, count: 10_000)
    let packed = Gzip.pack(body)
    let sent = packed ?? body
    let received = packed == nil ? sent : try Gzip.unpack(sent, limit: 1 << 20)
    #expect(sent.count < body.count / 10)
    #expect(received == body)
  }
}
