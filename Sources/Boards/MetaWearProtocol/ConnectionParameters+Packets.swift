public import Values

extension ConnectionParameters {
  /// Parameters in milliseconds, truncated to the specification's steps.
  public init(
    minimumMilliseconds: Double, maximumMilliseconds: Double, latency: UInt16,
    timeoutMilliseconds: Double
  ) {
    self.init(
      minimumInterval: UInt16(steps: minimumMilliseconds / Self.intervalMilliseconds),
      maximumInterval: UInt16(steps: maximumMilliseconds / Self.intervalMilliseconds),
      latency: latency, timeout: UInt16(steps: timeoutMilliseconds / Self.timeoutMilliseconds))
  }

  /// Four words, in the form of `11 09`.
  var bytes: [UInt8] {
    [minimumInterval, maximumInterval, latency, timeout].flatMap(\.littleEndianBytes)
  }

  /// Reads `11 89` and four words.
  init(decoding packet: Span<UInt8>) throws(DecodeError) {
    try packet.require(10)
    self.init(
      minimumInterval: packet.uint16(at: 2), maximumInterval: packet.uint16(at: 4),
      latency: packet.uint16(at: 6), timeout: packet.uint16(at: 8))
  }
}
