/// Identifies a value on the board by its register, and selects bytes of that value.
public struct SignalSource: Hashable, Sendable, BitwiseCopyable {
  /// The index for a register that contains only a single value, such as the register of a sensor
  /// without channels.
  public static let noIndex: UInt8 = 0xff

  /// Module and register of the value. The register includes the read flags if the value must be
  /// read.
  public let header: PacketHeader
  /// Number of the channel, pin or processor, or `noIndex` for a register that contains only a
  /// single value.
  public let index: UInt8
  /// Number of selected bytes, 1 to 32.
  public let length: Int
  /// Offset of the first selected byte in the value, 0 to 31.
  public let offset: Int

  public init(
    _ module: ModuleID, _ register: UInt8, index: UInt8 = Self.noIndex, length: Int,
    offset: Int = 0
  ) {
    self.init(PacketHeader(module, register), index: index, length: length, offset: offset)
  }

  /// The header must include the read flags if the value must be read.
  public init(_ header: PacketHeader, index: UInt8 = Self.noIndex, length: Int, offset: Int = 0) {
    precondition((1...32).contains(length), "a value on the board must have 1 to 32 bytes")
    precondition((0...31).contains(offset), "an offset into a value must fit in five bits")
    self.header = header
    self.index = index
    self.length = length
    self.offset = offset
  }

  public static func processor(_ id: UInt8, length: Int) -> SignalSource {
    SignalSource(.dataProcessor, 0x03, index: id, length: length)
  }

  /// Decodes a source from four bytes. The length has only three bits, so the decoded length is 1
  /// to 8; a longer length has wrapped.
  init(_ bytes: [UInt8]) {
    self.init(
      PacketHeader(module: bytes[0], registerByte: bytes[1]), index: bytes[2],
      length: Int(bytes[3] >> 5) + 1, offset: Int(bytes[3] & 0x1f))
  }

  /// Splits the value into pieces of at most `size` bytes, so that the board can log it. The pieces
  /// are in byte order. Offsets above 31 cannot be encoded, but no board has a value that long.
  public func pieces(of size: Int = 4) -> [SignalSource] {
    stride(from: 0, to: Swift.min(length, 32 - offset), by: size).map {
      SignalSource(
        header, index: index, length: Swift.min(size, length - $0), offset: offset + $0)
    }
  }

  /// The source as encoded for the board: the module, the register and the index, followed by the
  /// length and the offset in one byte.
  var bytes: [UInt8] {
    // The length has three bits. A length above 8 wraps, as the board's firmware expects.
    let range = UInt8(truncatingIfNeeded: (length - 1) << 5) | UInt8(offset)
    return [header.moduleCode, header.registerByte, index, range]
  }
}
