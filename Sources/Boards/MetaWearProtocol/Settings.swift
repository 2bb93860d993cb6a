public import Values

/// Commands for a board's name, advertising, connection parameters and power (module 11).
///
/// Settings remain in effect until the next reset, unless a macro that runs at boot repeats them.
public enum Settings: ModuleCommand {
  /// Restricts which centrals may scan or connect to the board. The raw value is the board's code.
  public enum WhitelistMode: UInt8, Hashable, Sendable, CaseIterable {
    /// Any central may scan and connect.
    case open = 0
    /// Only centrals on the whitelist may scan.
    case scan = 1
    /// Only centrals on the whitelist may connect.
    case connect = 2
    /// Only centrals on the whitelist may scan or connect.
    case both = 3
  }

  /// Sets the advertised name: ASCII letters, digits, `_`, `-` and spaces, at most 18 bytes. The
  /// name takes effect when advertising next starts.
  case name([UInt8])
  case advertising(Advertising)
  /// Sets the transmit power. The board uses the nearest supported value.
  case sentPower(dBm: Int8)
  /// Starts advertising immediately.
  case startAdvertising
  /// Sets the scan response, or its last part if it requires two packets.
  case scanResponse([UInt8])
  /// Sets the first part of a scan response that requires two packets.
  case scanResponseStart([UInt8])
  /// Sets the connection parameters that the board requests from the central. The central may
  /// refuse them. Requires module revision 1.
  case link(ConnectionParameters)
  /// Sets whether the whitelist restricts scanning, connecting or both. Requires module revision 6.
  case whitelistMode(WhitelistMode)
  /// Sets an entry of the whitelist (index 1 to 8). Index 0 is the target of directed advertising.
  /// Requires module revision 6.
  case whitelist(index: UInt8, addressType: UInt8, BoardAddress)
  /// Supplies sensors with 3 V. Requires module revision 9 and a module info response that
  /// indicates support.
  case threeVolts(isOn: Bool)
  /// Keeps the link at 1 Mbit/s. Requires module revision 10.
  case slowPhysicalLayer(isForced: Bool)

  /// Requests the battery's charge and voltage. Requires settings revision 3.
  public static let readBattery = Command.read(.settings, 0x0c)

  public static let readName = Command.read(.settings, 0x01)

  /// Requests the connection parameters that the board prefers. Requires module revision 1.
  public static let readConnectionParameters = Command.read(.settings, 0x09)

  /// Returns the command that makes the board request these connection parameters. The central may
  /// refuse them.
  public static func prefer(_ parameters: ConnectionParameters) -> Command {
    Settings.link(parameters).command
  }

  /// Returns the one or two commands that set a scan response.
  public static func scanResponse(whole bytes: [UInt8]) -> [Settings] {
    guard bytes.count > 18 else { return [.scanResponse(bytes)] }
    return [
      .scanResponseStart(Array(bytes.prefix(13))), .scanResponse(Array(bytes.dropFirst(13))),
    ]
  }

  public init?(_ command: Command) {
    guard command.header.module == .settings else { return nil }
    let payload = command.payload
    switch (command.header.registerByte, payload.count) {
    case (0x01, 1...): self = .name(payload)
    case (0x02, 3...4):
      self = .advertising(
        Advertising(
          intervalCode: payload.span.uint16(at: 0), timeoutSeconds: payload[2],
          type: payload.count > 3 ? payload[3] : nil))
    case (0x03, 1): self = .sentPower(dBm: Int8(bitPattern: payload[0]))
    case (0x05, 0): self = .startAdvertising
    case (0x07, 1...): self = .scanResponse(payload)
    case (0x08, 1...): self = .scanResponseStart(payload)
    case (0x09, 8):
      guard let parameters = try? ConnectionParameters(decoding: command.bytes.span) else {
        return nil
      }
      self = .link(parameters)
    case (0x13, 1):
      guard let mode = WhitelistMode(rawValue: payload[0]) else { return nil }
      self = .whitelistMode(mode)
    case (0x14, 8):
      self = .whitelist(
        index: payload[0], addressType: payload[1],
        BoardAddress(leastSignificantFirst: payload.span, at: 2))
    case (0x1c, 1):
      guard let isOn = Bool(wire: payload[0]) else { return nil }
      self = .threeVolts(isOn: isOn)
    case (0x1d, 1):
      guard let isForced = Bool(wire: payload[0]) else { return nil }
      self = .slowPhysicalLayer(isForced: isForced)
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .name(let bytes): Command(.settings, 0x01, bytes)
    case .advertising(let advertising): Command(.settings, 0x02, advertising.bytes)
    case .sentPower(let dBm): Command(.settings, 0x03, [UInt8(bitPattern: dBm)])
    case .startAdvertising: Command(.settings, 0x05)
    case .scanResponse(let bytes): Command(.settings, 0x07, bytes)
    case .scanResponseStart(let bytes): Command(.settings, 0x08, bytes)
    case .link(let parameters): Command(.settings, 0x09, parameters.bytes)
    case .whitelistMode(let mode): Command(.settings, 0x13, [mode.rawValue])
    case .whitelist(let index, let addressType, let address):
      Command(.settings, 0x14, [index, addressType] + address.leastSignificantFirst)
    case .threeVolts(let isOn): Command(.settings, 0x1c, [isOn.wire])
    case .slowPhysicalLayer(let isForced): Command(.settings, 0x1d, [isForced.wire])
    }
  }
}

/// A board's advertising settings. Their units depend on the settings module's revision.
public struct Advertising: Hashable, Sendable, BitwiseCopyable {
  /// Interval between advertisements, in milliseconds at revision 0 and otherwise in steps of 0.625
  /// ms.
  public let intervalCode: UInt16
  /// Number of seconds after which advertising stops, or 0 if it never stops.
  public let timeoutSeconds: UInt8
  /// Type of advertising: 0 is for any central, and 1 is for the central at index 0 of the
  /// whitelist. Available from revision 6.
  public let type: UInt8?

  public init(intervalCode: UInt16, timeoutSeconds: UInt8, type: UInt8?) {
    self.intervalCode = intervalCode
    self.timeoutSeconds = timeoutSeconds
    self.type = type
  }

  /// `revision` is the settings module's revision.
  public init(
    intervalMilliseconds: Double, timeoutSeconds: UInt8, type: UInt8 = 0, revision: UInt8
  ) {
    self.init(
      intervalCode: UInt16(steps: intervalMilliseconds / Self.step(revision)),
      timeoutSeconds: timeoutSeconds, type: revision >= 6 ? type : nil)
  }

  /// `revision` is the settings module's revision.
  public func intervalMilliseconds(revision: UInt8) -> Double {
    Double(intervalCode) * Self.step(revision)
  }

  private static func step(_ revision: UInt8) -> Double { revision == 0 ? 1 : 0.625 }

  /// Decodes `11 82 interval:u16 timeout [type]`.
  init(decoding packet: Span<UInt8>) throws(DecodeError) {
    try packet.require(5)
    self.init(
      intervalCode: packet.uint16(at: 2), timeoutSeconds: packet[4],
      type: packet.count > 5 ? packet[5] : nil)
  }

  var bytes: [UInt8] {
    intervalCode.littleEndianBytes + [timeoutSeconds] + (type.map { [$0] } ?? [])
  }
}

extension BoardAddress {
  init(leastSignificantFirst bytes: Span<UInt8>, at offset: Int) {
    var value: UInt64 = 0
    for index in 0..<6 { value |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
    self.init(value: value)
  }

  var leastSignificantFirst: [UInt8] { Array(value.littleEndianBytes.prefix(6)) }

  /// Decodes `11 8b` followed by the address's six bytes. A byte with the address type may precede
  /// the address.
  init(decoding packet: Span<UInt8>) throws(DecodeError) {
    try packet.require(8)
    self.init(leastSignificantFirst: packet, at: packet.count > 8 ? 3 : 2)
  }
}

/// A battery's charge and voltage.
public struct Battery: Hashable, Sendable, BitwiseCopyable {
  /// Charge in percent, as estimated by the board from the voltage.
  public let percent: UInt8
  /// Voltage in thousandths of a volt.
  public let millivolts: UInt16

  public init(percent: UInt8, millivolts: UInt16) {
    self.percent = percent
    self.millivolts = millivolts
  }

  /// Decodes `11 8c percent mV:u16`, or `11 0c …` from a subscription.
  init(decoding packet: Span<UInt8>) throws(DecodeError) {
    try packet.require(5)
    percent = packet[2]
    millivolts = packet.uint16(at: 3)
  }
}
