/// The source of a value on the board, and the selected bytes of the value.
public struct SignalSource: Hashable, Sendable, BitwiseCopyable {
  /// Marks a register with a single value, such as a plain sensor's.
  public static let noIndex: UInt8 = 0xff

  /// Module and register, with the flags of a read if the value must be read.
  public let header: PacketHeader
  /// Channel, pin or processor; `noIndex` if there is none.
  public let index: UInt8
  /// Number of selected bytes, from 1.
  public let length: Int
  /// Offset of the first selected byte, from 0.
  public let offset: Int

  /// A value of `length` bytes in a register.
  public init(
    _ module: ModuleID, _ register: UInt8, index: UInt8 = Self.noIndex, length: Int,
    offset: Int = 0
  ) {
    self.init(PacketHeader(module, register), index: index, length: length, offset: offset)
  }

  /// A value of `length` bytes in a register, with the flags of a read if it must be read.
  public init(_ header: PacketHeader, index: UInt8 = Self.noIndex, length: Int, offset: Int = 0) {
    precondition((1...32).contains(length), "a value on the board has 1 to 32 bytes")
    precondition((0...31).contains(offset), "an offset into a value has five bits")
    self.header = header
    self.index = index
    self.length = length
    self.offset = offset
  }

  /// The output of a data processor.
  public static func processor(_ id: UInt8, length: Int) -> SignalSource {
    SignalSource(.dataProcessor, 0x03, index: id, length: length)
  }

  /// Reads four bytes; a length above 8 was stored modulo 8 and is read as 1 to 8.
  init(_ bytes: [UInt8]) {
    self.init(
      PacketHeader(module: bytes[0], registerByte: bytes[1]), index: bytes[2],
      length: Int(bytes[3] >> 5) + 1, offset: Int(bytes[3] & 0x1f))
  }

  /// The pieces of at most `size` bytes in which the board can log the value, in order. Offsets
  /// above 31 cannot be encoded; no value of a board is that long.
  public func pieces(of size: Int = 4) -> [SignalSource] {
    stride(from: 0, to: Swift.min(length, 32 - offset), by: size).map {
      SignalSource(
        header, index: index, length: Swift.min(size, length - $0), offset: offset + $0)
    }
  }

  /// Module, register, index, and length and offset in one byte.
  var bytes: [UInt8] {
    // Three bits of length: a length above 8 wraps, which the board's firmware expects.
    let range = UInt8(truncatingIfNeeded: (length - 1) << 5) | UInt8(offset)
    return [header.moduleCode, header.registerByte, index, range]
  }
}
