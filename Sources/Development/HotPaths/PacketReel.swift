internal import MetaWearProtocol

/// Consecutive notifications of one stream in memory, to be decoded repeatedly.
public struct PacketReel: Sendable {
  /// Enough different packets that no predictor learns them; a power of two.
  static let packets = 256

  /// All packets, one after another.
  public let bytes: [UInt8]
  let packetLength: Int

  /// Packets that begin with `header`, continue with a count in `countLength` bytes and end with
  /// `valueLength` bytes of samples.
  public init(header: [UInt8], countLength: Int, valueLength: Int) {
    var bytes: [UInt8] = []
    for number in 0..<UInt32(Self.packets) {
      bytes += header + number.littleEndianBytes.prefix(countLength)
      // Any values will do, since decoding does not depend on them; without the top bit, no four
      // bytes form a non-finite number. Odd factors make neighbours differ.
      bytes += (0..<UInt32(valueLength)).map { place in
        UInt8(truncatingIfNeeded: (number &* 181 &+ place &* 73) >> 1) & 0x7f
      }
    }
    self.bytes = bytes
    packetLength = header.count + countLength + valueLength
  }

  /// The position of packet `number` in `bytes`; packets repeat.
  public func range(of number: Int) -> Range<Int> {
    let start = (number & (Self.packets - 1)) * packetLength
    return start..<start + packetLength
  }
}
