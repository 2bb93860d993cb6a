import Cryptography
import TestSupport
import Testing

/// The example of the library's documentation.
@Suite(.computation) struct ExampleTests {
  @Test func `the example of Cryptography runs`() {
    let received: [UInt8] = [0x61, 0x62, 0x63]
    let sent = Array("abc".utf8)
    let hash = SHA256.hash(of: sent)
    let isIntact = SHA256.hash(of: received) == hash
    #expect(hash.prefix(4) == [0xba, 0x78, 0x16, 0xbf])
    #expect(isIntact)
  }
}
