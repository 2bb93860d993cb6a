/// One three-axis sample in raw counts, encoded as three little-endian words.
public struct Vector: Hashable, Sendable, BitwiseCopyable {
  /// Bytes of a sample in a packet.
  public static let encodedLength = 6

  /// Raw counts of the first axis.
  public let x: Int16
  /// Raw counts of the second axis.
  public let y: Int16
  /// Raw counts of the third axis.
  public let z: Int16

  public init(x: Int16, y: Int16, z: Int16) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// Reads the six bytes at `offset`; the caller has checked the length.
  @inlinable
  init(decoding packet: Span<UInt8>, at offset: Int) {
    x = packet.int16(at: offset)
    y = packet.int16(at: offset + 2)
    z = packet.int16(at: offset + 4)
  }

  /// The six bytes of its encoding.
  public var bytes: [UInt8] {
    x.littleEndianBytes + y.littleEndianBytes + z.littleEndianBytes
  }
}
