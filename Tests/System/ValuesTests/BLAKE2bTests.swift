import TestSupport
import Testing
import Values

@Suite(.computation) struct BLAKE2bTests {
  /// Compares hashes with the results of `hashlib.blake2b(bytes(i * 7 % 256 for i in range(n)),
  /// digest_size=32)`, for lengths near block boundaries.
  @Test(arguments: [
    (0, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"),
    (1, "03170a2e7597b7b7e3d84c05391d139a62b157e78786d8c082f29dcf4c111314"),
    (127, "4ff62e7c4c43fe101a078479c48836be4907d9d498dcc577ca89d694b2c11f9b"),
    (128, "14696d2a98d9f8a280da8b132b1045b345e1033759c6b02fcc4ee885c8ae7c37"),
    (129, "3934215260b1039be9d9d2b073b059bcd50120c327a22af93eb4d98cf821c14c"),
    (256, "3d0cb2693dfbac42af5a6cc960953fea8714aa39c4bcd054ef61d6b5e98ade4a"),
    (1000, "6ac4bea923678eb024090384d6e767b5870f849057dc19b172d8d9f2df30bf8e"),
  ])
  func `a hash equals the one that Python's BLAKE2b computes`(length: Int, hash: String) {
    let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7) }
    #expect(Hexadecimal.text(BLAKE2b.hash(of: bytes.span)) == hash)
  }

  @Test(arguments: [1, 2, 64, 127, 128, 129, 300])
  func `bytes added in parts have the same hash as bytes added at once`(part: Int) {
    for length in [0, 1, 127, 128, 129, 256, 257, 1_000] {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7) }
      var running = BLAKE2b.Running()
      for start in stride(from: 0, to: length, by: part) {
        running.add(bytes.span.extracting(start..<min(length, start + part)))
      }
      #expect(running.end == BLAKE2b.hash(of: bytes.span), "\(length) bytes")
    }
  }
}
