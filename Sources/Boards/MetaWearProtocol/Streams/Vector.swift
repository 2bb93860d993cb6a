/// A sample with three axes in raw counts, encoded as three little-endian words.
public struct Vector: Hashable, Sendable, BitwiseCopyable {
  /// In bytes.
  public static let encodedLength = 6

  public let x: Int16
  public let y: Int16
  public let z: Int16

  public init(x: Int16, y: Int16, z: Int16) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// The caller must have checked the length.
  @inlinable
  init(decoding packet: Span<UInt8>, at offset: Int) {
    x = packet.int16(at: offset)
    y = packet.int16(at: offset + 2)
    z = packet.int16(at: offset + 4)
  }

  public var bytes: [UInt8] {
    x.littleEndianBytes + y.littleEndianBytes + z.littleEndianBytes
  }
}
