/// Computes BLAKE2b hashes with 32 bytes of output and no key (RFC 7693). Used for the content of
/// chunks, and for hashes that only this computer compares, such as those of device tokens.
///
/// BLAKE2b is considered as strong as SHA-256, needs no library, and takes a third of the time in
/// software. In Python it is `hashlib.blake2b(data, digest_size=32)`.
package enum BLAKE2b {
  /// A hash's length in bytes.
  package static let size = 32
  private static let blockSize = 128

  package static func hash(of bytes: Span<UInt8>) -> [UInt8] {
    var hash = Running()
    hash.add(bytes)
    return hash.end
  }

  /// An incremental hash of bytes that are added in several calls.
  package struct Running: Sendable {
    private var chain = BLAKE2bChain()
    /// The bytes that have not been added to `chain` yet. The last block is hashed with a special
    /// flag, so a full block also remains here until more bytes follow.
    private var rest: [UInt8] = []
    /// The number of bytes that have been added to `chain`.
    private var count = 0

    package init() {}

    package mutating func add(_ bytes: Span<UInt8>) {
      var offset = 0
      if !rest.isEmpty {
        offset = min(BLAKE2b.blockSize - rest.count, bytes.count)
        for index in 0..<offset { rest.append(bytes[index]) }
        guard offset < bytes.count else { return }
        count += BLAKE2b.blockSize
        chain.add(BLAKE2bBlock(rest.span, at: 0), end: count, isLast: false)
        rest.removeAll(keepingCapacity: true)
      }
      while bytes.count - offset > BLAKE2b.blockSize {
        count += BLAKE2b.blockSize
        chain.add(BLAKE2bBlock(bytes, at: offset), end: count, isLast: false)
        offset += BLAKE2b.blockSize
      }
      for index in offset..<bytes.count { rest.append(bytes[index]) }
    }

    /// The hash of all bytes that were added.
    package var end: [UInt8] {
      var chain = chain
      let zeros = [UInt8](repeating: 0, count: BLAKE2b.blockSize - rest.count)
      chain.add(
        BLAKE2bBlock((rest + zeros).span, at: 0), end: count + rest.count, isLast: true)
      var hash: [UInt8] = []
      hash.reserveCapacity(BLAKE2b.size)
      for word in [chain.h0, chain.h1, chain.h2, chain.h3] {
        for shift in stride(from: 0, to: 64, by: 8) {
          hash.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
      }
      return hash
    }
  }
}

/// One block of the message, as sixteen words.
private struct BLAKE2bBlock {
  let m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15: UInt64

  @inline(__always)
  init(_ bytes: Span<UInt8>, at offset: Int) {
    m0 = bytes.littleEndianWord(at: offset)
    m1 = bytes.littleEndianWord(at: offset + 8)
    m2 = bytes.littleEndianWord(at: offset + 16)
    m3 = bytes.littleEndianWord(at: offset + 24)
    m4 = bytes.littleEndianWord(at: offset + 32)
    m5 = bytes.littleEndianWord(at: offset + 40)
    m6 = bytes.littleEndianWord(at: offset + 48)
    m7 = bytes.littleEndianWord(at: offset + 56)
    m8 = bytes.littleEndianWord(at: offset + 64)
    m9 = bytes.littleEndianWord(at: offset + 72)
    m10 = bytes.littleEndianWord(at: offset + 80)
    m11 = bytes.littleEndianWord(at: offset + 88)
    m12 = bytes.littleEndianWord(at: offset + 96)
    m13 = bytes.littleEndianWord(at: offset + 104)
    m14 = bytes.littleEndianWord(at: offset + 112)
    m15 = bytes.littleEndianWord(at: offset + 120)
  }
}

/// The hash state that is carried over from block to block.
private struct BLAKE2bChain {
  // The initial values are the same as for SHA-512. The first also encodes the parameters: 32 bytes
  // of output, no key and no tree.
  var h0: UInt64 = 0x6a09_e667_f3bc_c908 ^ 0x0101_0020
  var h1: UInt64 = 0xbb67_ae85_84ca_a73b
  var h2: UInt64 = 0x3c6e_f372_fe94_f82b
  var h3: UInt64 = 0xa54f_f53a_5f1d_36f1
  private var h4: UInt64 = 0x510e_527f_ade6_82d1
  private var h5: UInt64 = 0x9b05_688c_2b3e_6c1f
  private var h6: UInt64 = 0x1f83_d9ab_fb41_bd6b
  private var h7: UInt64 = 0x5be0_cd19_137e_2179

  /// Adds a block to the hash. The block ends at byte `end` of the message.
  mutating func add(_ m: BLAKE2bBlock, end: Int, isLast: Bool) {
    var v = BLAKE2bMixer(
      v0: h0, v1: h1, v2: h2, v3: h3, v4: h4, v5: h5, v6: h6, v7: h7,
      v12: 0x510e_527f_ade6_82d1 ^ UInt64(end), v14: 0x1f83_d9ab_fb41_bd6b ^ (isLast ? .max : 0))
    // Each pair of lines uses a different permutation of the message words. The last two pairs use
    // the same permutations as the first two.
    v.mix(m.m0, m.m1, m.m2, m.m3, m.m4, m.m5, m.m6, m.m7)
    v.mixDiagonals(m.m8, m.m9, m.m10, m.m11, m.m12, m.m13, m.m14, m.m15)
    v.mix(m.m14, m.m10, m.m4, m.m8, m.m9, m.m15, m.m13, m.m6)
    v.mixDiagonals(m.m1, m.m12, m.m0, m.m2, m.m11, m.m7, m.m5, m.m3)
    v.mix(m.m11, m.m8, m.m12, m.m0, m.m5, m.m2, m.m15, m.m13)
    v.mixDiagonals(m.m10, m.m14, m.m3, m.m6, m.m7, m.m1, m.m9, m.m4)
    v.mix(m.m7, m.m9, m.m3, m.m1, m.m13, m.m12, m.m11, m.m14)
    v.mixDiagonals(m.m2, m.m6, m.m5, m.m10, m.m4, m.m0, m.m15, m.m8)
    v.mix(m.m9, m.m0, m.m5, m.m7, m.m2, m.m4, m.m10, m.m15)
    v.mixDiagonals(m.m14, m.m1, m.m11, m.m12, m.m6, m.m8, m.m3, m.m13)
    v.mix(m.m2, m.m12, m.m6, m.m10, m.m0, m.m11, m.m8, m.m3)
    v.mixDiagonals(m.m4, m.m13, m.m7, m.m5, m.m15, m.m14, m.m1, m.m9)
    v.mix(m.m12, m.m5, m.m1, m.m15, m.m14, m.m13, m.m4, m.m10)
    v.mixDiagonals(m.m0, m.m7, m.m6, m.m3, m.m9, m.m2, m.m8, m.m11)
    v.mix(m.m13, m.m11, m.m7, m.m14, m.m12, m.m1, m.m3, m.m9)
    v.mixDiagonals(m.m5, m.m0, m.m15, m.m4, m.m8, m.m6, m.m2, m.m10)
    v.mix(m.m6, m.m15, m.m14, m.m9, m.m11, m.m3, m.m0, m.m8)
    v.mixDiagonals(m.m12, m.m2, m.m13, m.m7, m.m1, m.m4, m.m10, m.m5)
    v.mix(m.m10, m.m2, m.m8, m.m4, m.m7, m.m6, m.m1, m.m5)
    v.mixDiagonals(m.m15, m.m11, m.m9, m.m14, m.m3, m.m12, m.m13, m.m0)
    v.mix(m.m0, m.m1, m.m2, m.m3, m.m4, m.m5, m.m6, m.m7)
    v.mixDiagonals(m.m8, m.m9, m.m10, m.m11, m.m12, m.m13, m.m14, m.m15)
    v.mix(m.m14, m.m10, m.m4, m.m8, m.m9, m.m15, m.m13, m.m6)
    v.mixDiagonals(m.m1, m.m12, m.m0, m.m2, m.m11, m.m7, m.m5, m.m3)
    h0 ^= v.v0 ^ v.v8
    h1 ^= v.v1 ^ v.v9
    h2 ^= v.v2 ^ v.v10
    h3 ^= v.v3 ^ v.v11
    h4 ^= v.v4 ^ v.v12
    h5 ^= v.v5 ^ v.v13
    h6 ^= v.v6 ^ v.v14
    h7 ^= v.v7 ^ v.v15
  }
}

/// The hash's working state: sixteen words in a 4 × 4 matrix, which are mixed with the message.
private struct BLAKE2bMixer {
  var v0, v1, v2, v3, v4, v5, v6, v7: UInt64
  var v8: UInt64 = 0x6a09_e667_f3bc_c908
  var v9: UInt64 = 0xbb67_ae85_84ca_a73b
  var v10: UInt64 = 0x3c6e_f372_fe94_f82b
  var v11: UInt64 = 0xa54f_f53a_5f1d_36f1
  var v12: UInt64
  var v13: UInt64 = 0x9b05_688c_2b3e_6c1f
  var v14: UInt64
  var v15: UInt64 = 0x5be0_cd19_137e_2179

  /// Mixes message words into the matrix's columns.
  @inline(__always)
  mutating func mix(
    _ x0: UInt64, _ y0: UInt64, _ x1: UInt64, _ y1: UInt64, _ x2: UInt64, _ y2: UInt64,
    _ x3: UInt64, _ y3: UInt64
  ) {
    Self.mix(&v0, &v4, &v8, &v12, x0, y0)
    Self.mix(&v1, &v5, &v9, &v13, x1, y1)
    Self.mix(&v2, &v6, &v10, &v14, x2, y2)
    Self.mix(&v3, &v7, &v11, &v15, x3, y3)
  }

  /// Mixes message words into the matrix's diagonals.
  @inline(__always)
  mutating func mixDiagonals(
    _ x0: UInt64, _ y0: UInt64, _ x1: UInt64, _ y1: UInt64, _ x2: UInt64, _ y2: UInt64,
    _ x3: UInt64, _ y3: UInt64
  ) {
    Self.mix(&v0, &v5, &v10, &v15, x0, y0)
    Self.mix(&v1, &v6, &v11, &v12, x1, y1)
    Self.mix(&v2, &v7, &v8, &v13, x2, y2)
    Self.mix(&v3, &v4, &v9, &v14, x3, y3)
  }

  @inline(__always)
  private static func mix(
    _ a: inout UInt64, _ b: inout UInt64, _ c: inout UInt64, _ d: inout UInt64, _ x: UInt64,
    _ y: UInt64
  ) {
    a = a &+ b &+ x
    d = rotate(d ^ a, 32)
    c = c &+ d
    b = rotate(b ^ c, 24)
    a = a &+ b &+ y
    d = rotate(d ^ a, 16)
    c = c &+ d
    b = rotate(b ^ c, 63)
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    value &>> bits | value &<< (64 &- bits)
  }
}
