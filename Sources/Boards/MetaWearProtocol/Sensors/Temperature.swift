/// Commands for a board's thermometers (module 04), one per channel. The module info lists each
/// thermometer's kind.
public enum Temperature: ModuleCommand {
  /// The kind of thermometer on a channel. The raw value is the code in the module info.
  public enum Driver: UInt8, Hashable, Sendable, CaseIterable {
    /// The processor's own thermometer.
    case processorDie = 0
    /// A thermistor connected to two pins.
    case externalThermistor = 1
    /// The barometer's thermometer, which measures only while the barometer is running.
    case barometer = 2
    case boardThermistor = 3
  }

  /// Requests the value of one channel. A silent read delivers the value only to consumers on the
  /// board, not to the host. No channel can stream.
  case read(channel: UInt8, isSilent: Bool = false)
  case externalThermistor(channel: UInt8, dataPin: UInt8, pulldownPin: UInt8, isActiveHigh: Bool)

  /// Counts per degree Celsius.
  public static let countsPerDegree = 8.0

  public init?(_ command: Command) {
    guard command.header.module == .temperature else { return nil }
    let payload = command.payload
    switch (command.header.registerByte, payload.count) {
    case (0x81, 1): self = .read(channel: payload[0])
    case (0xc1, 1): self = .read(channel: payload[0], isSilent: true)
    case (0x02, 4):
      guard let isActiveHigh = Bool(wire: payload[3]) else { return nil }
      self = .externalThermistor(
        channel: payload[0], dataPin: payload[1], pulldownPin: payload[2],
        isActiveHigh: isActiveHigh)
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .read(let channel, let isSilent):
      Command(PacketHeader(.temperature, 0x01, isRead: true, isSilent: isSilent), [channel])
    case .externalThermistor(let channel, let dataPin, let pulldownPin, let isActiveHigh):
      Command(.temperature, 0x02, [channel, dataPin, pulldownPin, isActiveHigh.wire])
    }
  }
}
