import TestSupport
import Testing
import Coding

@Suite(.computation) struct ZlibExampleTests {
  @Test func `the example for gzip runs`() throws {
    let body = [UInt8](repeating: 0x20, count: 10_000)
    let packed = Gzip.pack(body)
    let sent = packed ?? body
    let received = packed == nil ? sent : try Gzip.unpack(sent, limit: 1 << 20)
    #expect(sent.count < body.count / 10)
    #expect(received == body)
  }
}

@Suite(.computation) struct CryptographyExampleTests {
  @Test func `the example for a hash runs`() {
    let received: [UInt8] = [0x61, 0x62, 0x63]
    let sent = Array("abc".utf8)
    let hash = SHA256.hash(of: sent)
    let isIntact = SHA256.hash(of: received) == hash
    #expect(hash.prefix(4) == [0xba, 0x78, 0x16, 0xbf])
    #expect(isIntact)
  }
}
