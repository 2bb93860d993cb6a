/// A sample with three axes in raw counts, encoded as three little-endian words.
public struct Vector: Hashable, Sendable, BitwiseCopyable {
  /// Number of bytes that a sample occupies in a packet.
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

  /// Decodes the sample in the six bytes at `offset`. The caller must have checked the length.
  @inlinable
  init(decoding packet: Span<UInt8>, at offset: Int) {
    x = packet.int16(at: offset)
    y = packet.int16(at: offset + 2)
    z = packet.int16(at: offset + 4)
  }

  /// The six bytes of the sample, as encoded in a packet.
  public var bytes: [UInt8] {
    x.littleEndianBytes + y.littleEndianBytes + z.littleEndianBytes
  }
}
