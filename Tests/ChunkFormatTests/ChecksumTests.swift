import Testing

@testable import ChunkFormat

@Suite struct ChecksumTests {
  @Test func `checksums have their published values`() {
    // The check values of the catalogues: the code of the nine digits.
    let digits = Array("123456789".utf8)
    #expect(CRC32C.of(digits.span) == 0xe306_9283)
    #expect(CRC64.of(digits.span) == 0x995d_c9bb_df19_39fa)
  }
}
