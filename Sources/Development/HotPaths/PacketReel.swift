internal import MetaWearProtocol

/// One stream's consecutive notifications in memory, for repeated decoding.
public struct PacketReel: Sendable {
  /// The number of packets. It is a power of two, and too large for a branch predictor to learn the
  /// packets.
  static let packets = 256

  /// The bytes of all packets, back to back.
  public let bytes: [UInt8]
  let packetLength: Int

  /// Creates packets that consist of `header`, a count of `countLength` bytes, and `valueLength`
  /// bytes of samples.
  public init(header: [UInt8], countLength: Int, valueLength: Int) {
    var bytes: [UInt8] = []
    for number in 0..<UInt32(Self.packets) {
      bytes += header + number.littleEndianBytes.prefix(countLength)
      // Any values will do, because decoding does not depend on them. Since the top bit is not set,
      // no four bytes form a non-finite number. Odd factors make neighbouring packets differ.
      bytes += (0..<UInt32(valueLength)).map { place in
        UInt8(truncatingIfNeeded: (number &* 181 &+ place &* 73) >> 1) & 0x7f
      }
    }
    self.bytes = bytes
    packetLength = header.count + countLength + valueLength
  }

  /// Returns the byte range of packet `number` in `bytes`. Numbers beyond the last packet wrap
  /// around to the first.
  public func range(of number: Int) -> Range<Int> {
    let start = (number & (Self.packets - 1)) * packetLength
    return start..<start + packetLength
  }
}
