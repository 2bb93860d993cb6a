/// Link parameters, battery and identity of a board (module 11).
public enum Settings {
  /// Asks for charge and voltage of the battery; settings revision 3.
  public static let readBattery = Command.read(.settings, 0x0c)

  /// Asks for the name it advertises.
  public static let readName = Command.read(.settings, 0x01)

  /// Asks for the link parameters it prefers; settings revision 1.
  public static let readConnectionParameters = Command.read(.settings, 0x09)

  /// Has the board ask for these link parameters; the central may refuse them.
  public static func prefer(_ parameters: ConnectionParameters) -> Command {
    Command(
      .settings, 0x09,
      parameters.minimumInterval.littleEndianBytes + parameters.maximumInterval.littleEndianBytes
        + parameters.latency.littleEndianBytes + parameters.timeout.littleEndianBytes)
  }
}

/// How often the two ends of a link meet, in the units of the Bluetooth specification.
public struct ConnectionParameters: Hashable, Sendable, BitwiseCopyable {
  /// Shortest interval, in 1.25 ms.
  public let minimumInterval: UInt16
  /// Longest interval, in 1.25 ms.
  public let maximumInterval: UInt16
  /// Intervals the board may sleep through.
  public let latency: UInt16
  /// Silence after which the link counts as lost, in 10 ms.
  public let timeout: UInt16

  /// What streaming wants: 7.5 ms, none slept through, lost after 6 s.
  public static let fast = ConnectionParameters(
    minimumInterval: 6, maximumInterval: 6, latency: 0, timeout: 600)

  /// Parameters in the specification's units.
  public init(minimumInterval: UInt16, maximumInterval: UInt16, latency: UInt16, timeout: UInt16) {
    self.minimumInterval = minimumInterval
    self.maximumInterval = maximumInterval
    self.latency = latency
    self.timeout = timeout
  }

  /// Reads `11 89` and four words.
  init(decoding packet: Span<UInt8>) throws(DecodeError) {
    try packet.require(10)
    minimumInterval = packet.uint16(at: 2)
    maximumInterval = packet.uint16(at: 4)
    latency = packet.uint16(at: 6)
    timeout = packet.uint16(at: 8)
  }
}

/// State of the battery.
public struct Battery: Hashable, Sendable, BitwiseCopyable {
  /// Charge in percent, estimated by the board from the voltage.
  public let percent: UInt8
  /// Voltage in thousandths of a volt.
  public let millivolts: UInt16

  /// A battery with this charge and voltage.
  public init(percent: UInt8, millivolts: UInt16) {
    self.percent = percent
    self.millivolts = millivolts
  }

  /// Reads `11 8c percent mV:u16`, or `11 0c …` when subscribed.
  init(decoding packet: Span<UInt8>) throws(DecodeError) {
    try packet.require(5)
    percent = packet[2]
    millivolts = packet.uint16(at: 3)
  }
}
