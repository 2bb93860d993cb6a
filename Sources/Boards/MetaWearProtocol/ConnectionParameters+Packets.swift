public import Values

extension ConnectionParameters {
  /// Each time is rounded down to a whole number of steps. The Bluetooth specification defines each
  /// step's size.
  public init(
    minimumMilliseconds: Double, maximumMilliseconds: Double, latency: UInt16,
    timeoutMilliseconds: Double
  ) {
    self.init(
      minimumInterval: UInt16(steps: minimumMilliseconds / Self.intervalMilliseconds),
      maximumInterval: UInt16(steps: maximumMilliseconds / Self.intervalMilliseconds),
      latency: latency, timeout: UInt16(steps: timeoutMilliseconds / Self.timeoutMilliseconds))
  }

  /// The parameters encoded as four 16-bit words, as sent in `11 09`.
  var bytes: [UInt8] {
    [minimumInterval, maximumInterval, latency, timeout].flatMap(\.littleEndianBytes)
  }

  /// Decodes `11 89` followed by four 16-bit words.
  init(decoding packet: Span<UInt8>) throws(DecodeError) {
    try packet.require(10)
    self.init(
      minimumInterval: packet.uint16(at: 2), maximumInterval: packet.uint16(at: 4),
      latency: packet.uint16(at: 6), timeout: packet.uint16(at: 8))
  }
}
