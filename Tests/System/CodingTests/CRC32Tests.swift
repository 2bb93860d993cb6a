import TestSupport
import Testing
import Coding

@Suite(.computation) struct CRC32Tests {
  @Test func `the checksum of the digits 1 to 9 has its published value`() {
    // The check value from catalogues of checksums, which is the CRC of the digits 1 to 9.
    #expect(CRC32.of(Array("123456789".utf8).span) == 0xcbf4_3926)
  }

  @Test func `for any length, the checksum equals one computed bit by bit from the polynomial`() {
    let bytes = (0..<100).map { UInt8(truncatingIfNeeded: $0 * 31 + 7) }
    for length in bytes.indices {
      let plain = bytes.prefix(length).reduce(UInt32.max) { rest, byte in
        (0..<8).reduce(rest ^ UInt32(byte)) { rest, _ in
          rest >> 1 ^ (rest & 1 == 1 ? 0xedb8_8320 : 0)
        }
      }
      #expect(CRC32.of(bytes.span.extracting(first: length)) == ~plain, "\(length) bytes")
    }
  }
}
