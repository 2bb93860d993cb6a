public import Values

/// Name, advertising, link parameters and power of a board (module 11).
///
/// Settings last until the next reset unless a boot macro makes them again.
public enum Settings: ModuleCommand {
  /// Centrals that may see or connect to the board; the raw value is the board's code.
  public enum WhitelistMode: UInt8, Hashable, Sendable, CaseIterable {
    /// All centrals may do both.
    case open = 0
    /// Only listed centrals may scan.
    case scan = 1
    /// Only listed centrals may connect.
    case connect = 2
    /// Only listed centrals may do either.
    case both = 3
  }

  /// The advertised name: ASCII letters, digits, `_`, `-` and space; visible from the next
  /// advertising on. A packet holds 18.
  case name([UInt8])
  /// Settings of the advertising.
  case advertising(Advertising)
  /// Transmission power; the board uses its nearest setting.
  case sentPower(dBm: Int8)
  /// Starts advertising now.
  case startAdvertising
  /// The answer to a scanning central, or its last part.
  case scanResponse([UInt8])
  /// The first part of an answer that needs two packets.
  case scanResponseStart([UInt8])
  /// Link parameters to request from the central, which may refuse them; revision 1.
  case link(ConnectionParameters)
  /// The use of the whitelist; revision 6.
  case whitelistMode(WhitelistMode)
  /// An entry of the whitelist (1 to 8), or at 0 the target of directed advertising; revision 6.
  case whitelist(index: UInt8, addressType: UInt8, BoardAddress)
  /// Supplies sensors with 3 V; revision 9, and only if the module info says so.
  case threeVolts(isOn: Bool)
  /// Keeps the link at 1 Mbit/s; revision 10.
  case slowPhysicalLayer(isForced: Bool)

  /// Asks for charge and voltage of the battery; settings revision 3.
  public static let readBattery = Command.read(.settings, 0x0c)

  /// Asks for the advertised name.
  public static let readName = Command.read(.settings, 0x01)

  /// Asks for the link parameters that the board prefers; settings revision 1.
  public static let readConnectionParameters = Command.read(.settings, 0x09)

  /// Makes the board request these link parameters; the central may refuse them.
  public static func prefer(_ parameters: ConnectionParameters) -> Command {
    Settings.link(parameters).command
  }

  /// The one or two writes for a scan response.
  public static func scanResponse(whole bytes: [UInt8]) -> [Settings] {
    guard bytes.count > 18 else { return [.scanResponse(bytes)] }
    return [
      .scanResponseStart(Array(bytes.prefix(13))), .scanResponse(Array(bytes.dropFirst(13))),
    ]
  }

  /// Reads a write to module 11.
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

  /// A write to module 11.
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

/// A board's advertising settings, in the units of its settings module's revision.
public struct Advertising: Hashable, Sendable, BitwiseCopyable {
  /// Time between advertisements: milliseconds at revision 0, otherwise steps of 0.625 ms.
  public let intervalCode: UInt16
  /// Seconds until advertising stops, 0 for never.
  public let timeoutSeconds: UInt8
  /// 0 for any central, 1 for the one at index 0 of the whitelist; from revision 6 on.
  public let type: UInt8?

  public init(intervalCode: UInt16, timeoutSeconds: UInt8, type: UInt8?) {
    self.intervalCode = intervalCode
    self.timeoutSeconds = timeoutSeconds
    self.type = type
  }

  /// Settings for a module of this revision.
  public init(
    intervalMilliseconds: Double, timeoutSeconds: UInt8, type: UInt8 = 0, revision: UInt8
  ) {
    self.init(
      intervalCode: UInt16(steps: intervalMilliseconds / Self.step(revision)),
      timeoutSeconds: timeoutSeconds, type: revision >= 6 ? type : nil)
  }

  /// Time between advertisements in milliseconds, for a module of this revision.
  public func intervalMilliseconds(revision: UInt8) -> Double {
    Double(intervalCode) * Self.step(revision)
  }

  private static func step(_ revision: UInt8) -> Double { revision == 0 ? 1 : 0.625 }

  /// Reads `11 82 interval:u16 timeout [type]`.
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

  /// The six bytes in the board's order.
  var leastSignificantFirst: [UInt8] { Array(value.littleEndianBytes.prefix(6)) }

  /// Reads `11 8b` with six bytes, or with seven, the first being the address's type.
  init(decoding packet: Span<UInt8>) throws(DecodeError) {
    try packet.require(8)
    self.init(leastSignificantFirst: packet, at: packet.count > 8 ? 3 : 2)
  }
}

/// State of the battery.
public struct Battery: Hashable, Sendable, BitwiseCopyable {
  /// Charge in percent, estimated by the board from the voltage.
  public let percent: UInt8
  /// In thousandths of a volt.
  public let millivolts: UInt16

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
