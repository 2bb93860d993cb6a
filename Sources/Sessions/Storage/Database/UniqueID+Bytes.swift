internal import Values

extension UniqueID {
  /// The sixteen bytes of the identifier, most significant byte first.
  var bytes: [UInt8] {
    (0..<16).map { position in
      let half = position < 8 ? high : low
      return UInt8(truncatingIfNeeded: half >> UInt64(56 - position % 8 * 8))
    }
  }

  init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.init(
      high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
      low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
  }
}
