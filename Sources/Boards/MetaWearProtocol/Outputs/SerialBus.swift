/// Commands that pass data through to I²C and SPI devices (module 0d).
public enum SerialBus: ModuleCommand {
  /// The pins and settings of an SPI transfer.
  public struct SPI: Hashable, Sendable, BitwiseCopyable {
    /// Clock rates in hertz, indexed by clock code.
    public static let clocks = [
      125_000, 250_000, 500_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000,
    ]

    /// Pin that selects the slave device.
    public let selectPin: UInt8
    public let clockPin: UInt8
    /// Pin for data sent to the slave device.
    public let outPin: UInt8
    /// Pin for data received from the slave device.
    public let inPin: UInt8
    /// Whether the least significant bit of each byte is sent first.
    public let isLeastSignificantFirst: Bool
    /// SPI mode, 0 to 3.
    public let mode: UInt8
    /// Code of the clock rate, 0 to 6. See `clocks`.
    public let clockCode: UInt8
    /// Whether pins are identified by the pin numbers of the board's processor.
    public let hasNativePins: Bool

    public init(
      selectPin: UInt8, clockPin: UInt8, outPin: UInt8, inPin: UInt8,
      isLeastSignificantFirst: Bool, mode: UInt8, clockCode: UInt8, hasNativePins: Bool
    ) {
      self.selectPin = selectPin
      self.clockPin = clockPin
      self.outPin = outPin
      self.inPin = inPin
      self.isLeastSignificantFirst = isLeastSignificantFirst
      self.mode = mode & 3
      self.clockCode = clockCode & 7
      self.hasNativePins = hasNativePins
    }

    init(_ bytes: [UInt8]) {
      self.init(
        selectPin: bytes[0], clockPin: bytes[1], outPin: bytes[2], inPin: bytes[3],
        isLeastSignificantFirst: bytes[4] & 1 != 0, mode: bytes[4] >> 1 & 3,
        clockCode: bytes[4] >> 3 & 7, hasNativePins: bytes[4] & 0x40 != 0)
    }

    var bytes: [UInt8] {
      [
        selectPin, clockPin, outPin, inPin,
        isLeastSignificantFirst.wire | mode << 1 | clockCode << 3 | (hasNativePins ? 0x40 : 0),
      ]
    }
  }

  /// The id to use for a read if its response need not be distinguished from others.
  public static let oneOff: UInt8 = 0xff

  /// Reads registers of an I²C device. The response repeats `id`. A silent read delivers the value
  /// only to consumers on the board, not to the host.
  case readI2C(device: UInt8, register: UInt8, id: UInt8, length: UInt8, isSilent: Bool)
  case writeI2C(device: UInt8, register: UInt8, [UInt8])
  /// Sends bytes to an SPI device and reads `length` bytes (1 to 16). The response repeats `id` (0
  /// to 15).
  case readSPI(SPI, id: UInt8, length: UInt8, sending: [UInt8], isSilent: Bool)
  /// Sends bytes to an SPI device without reading a response.
  case writeSPI(SPI, [UInt8])

  public init?(_ command: Command) {
    guard command.header.module == .serialBus else { return nil }
    let header = command.header
    let payload = command.payload
    switch (header.register, header.isRead) {
    case (0x01, true):
      guard payload.count == 4 else { return nil }
      self = .readI2C(
        device: payload[0], register: payload[1], id: payload[2], length: payload[3],
        isSilent: header.isSilent)
    case (0x01, false):
      guard payload.count >= 4, payload[2] == Self.oneOff, Int(payload[3]) == payload.count - 4
      else { return nil }
      self = .writeI2C(device: payload[0], register: payload[1], Array(payload.dropFirst(4)))
    case (0x02, true):
      guard payload.count >= 6 else { return nil }
      self = .readSPI(
        SPI(payload), id: payload[5] >> 4, length: payload[5] & 0x0f + 1,
        sending: Array(payload.dropFirst(6)), isSilent: header.isSilent)
    case (0x02, false):
      guard payload.count >= 5 else { return nil }
      self = .writeSPI(SPI(payload), Array(payload.dropFirst(5)))
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .readI2C(let device, let register, let id, let length, let isSilent):
      Command(
        PacketHeader(.serialBus, 0x01, isRead: true, isSilent: isSilent),
        [device, register, id, length])
    case .writeI2C(let device, let register, let bytes):
      Command(
        .serialBus, 0x01, [device, register, Self.oneOff, UInt8(clamping: bytes.count)] + bytes)
    case .readSPI(let spi, let id, let length, let sending, let isSilent):
      Command(
        PacketHeader(.serialBus, 0x02, isRead: true, isSilent: isSilent),
        spi.bytes + [(length &- 1) & 0x0f | id << 4] + sending)
    case .writeSPI(let spi, let bytes): Command(.serialBus, 0x02, spi.bytes + bytes)
    }
  }
}
