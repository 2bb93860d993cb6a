/// Where on the board a value comes from, and which of its bytes are meant.
public struct SignalSource: Hashable, Sendable, BitwiseCopyable {
  /// Marks a register that has one value only, such as a plain sensor's.
  public static let noIndex: UInt8 = 0xff

  /// Module and register, with the flags of a read where the value must be read.
  public let header: PacketHeader
  /// Channel, pin or processor; `noIndex` where there is none.
  public let index: UInt8
  /// How many bytes of the value are meant, from 1.
  public let length: Int
  /// The first of them, from 0.
  public let offset: Int

  /// A value of `length` bytes in a register.
  public init(
    _ module: ModuleID, _ register: UInt8, index: UInt8 = Self.noIndex, length: Int,
    offset: Int = 0
  ) {
    precondition((1...32).contains(length), "a value on the board has 1 to 32 bytes")
    precondition((0...31).contains(offset), "an offset into a value has five bits")
    header = PacketHeader(module, register)
    self.index = index
    self.length = length
    self.offset = offset
  }

  /// The output of a data processor.
  public static func processor(_ id: UInt8, length: Int) -> SignalSource {
    SignalSource(.dataProcessor, 0x03, index: id, length: length)
  }

  /// Module, register, index, and length and offset in one byte.
  var bytes: [UInt8] {
    // Three bits of length: those above 8 wrap, which the board's firmware expects.
    let range = UInt8(truncatingIfNeeded: (length - 1) << 5) | UInt8(offset)
    return [header.moduleCode, header.registerByte, index, range]
  }
}
