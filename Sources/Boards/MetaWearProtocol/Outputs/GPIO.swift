/// Commands for a board's general-purpose pins (module 05).
public enum GPIO: ModuleCommand {
  /// The bit in a pin's module info byte that is set if the pin supports analogue reads.
  static let analogAbility: UInt8 = 2

  /// The level towards which the board pulls an input that is not driven externally. The raw value
  /// is the register.
  public enum Pull: UInt8, Hashable, Sendable, CaseIterable {
    case up = 0x03
    case down = 0x04
    case none = 0x05
  }

  /// The changes in a pin's level that the board reports.
  public enum Edge: UInt8, Hashable, Sendable, CaseIterable {
    case off = 0
    case rising = 1
    case falling = 2
    case any = 3
  }

  /// The quantity to read from a pin. The raw value is the register.
  public enum Quantity: UInt8, Hashable, Sendable, CaseIterable {
    case millivolts = 0x06
    /// The pin's voltage relative to the supply, from 0 to 1023.
    case ratio = 0x07
    /// The pin's level, high or low.
    case level = 0x08
  }

  /// Settings for an analogue read of a pin. They require module revision 2.
  public struct ReadOptions: Hashable, Sendable, BitwiseCopyable {
    /// The pin number that means "no pin".
    public static let noPin: UInt8 = 0xff

    /// The pin to hold high during the read, or `noPin`.
    public let pullUpPin: UInt8
    /// The pin to hold low during the read, or `noPin`.
    public let pullDownPin: UInt8
    /// Delay before the read, in steps of 4 µs. 0 means no delay.
    public let delaySteps: UInt8
    /// The pin number to report in the response instead of the real one.
    public let virtualPin: UInt8

    /// By default, no other pin is driven, there is no delay, and the response reports the real
    /// pin.
    public init(
      pullUpPin: UInt8 = noPin, pullDownPin: UInt8 = noPin, delaySteps: UInt8 = 0,
      virtualPin: UInt8 = noPin
    ) {
      self.pullUpPin = pullUpPin
      self.pullDownPin = pullDownPin
      self.delaySteps = delaySteps
      self.virtualPin = virtualPin
    }

    var bytes: [UInt8] { [pullUpPin, pullDownPin, delaySteps, virtualPin] }
  }

  /// A value that the board read from a pin.
  public enum Reading: Hashable, Sendable, BitwiseCopyable {
    case millivolts(pin: UInt8, UInt16)
    /// The pin's voltage relative to the supply, from 0 to 1023.
    case ratio(pin: UInt8, UInt16)
    /// The pin's level, in response to a read by the host.
    case level(pin: UInt8, isHigh: Bool)
    /// The pin's new level after a change.
    case change(pin: UInt8, isHigh: Bool)
  }

  case write(pin: UInt8, isHigh: Bool)
  /// Configures a pin as an input and sets its pull.
  case pull(Pull, pin: UInt8)
  /// Reads a pin. A silent read delivers the value only to consumers on the board, not to the host.
  /// For analogue reads, module revision 2 and later require options.
  case read(Quantity, pin: UInt8, ReadOptions?, isSilent: Bool)
  /// Sets which changes the board reports while it watches the pin.
  case edge(Edge, pin: UInt8)
  /// Starts or stops watching a pin for changes.
  case watch(pin: UInt8, isOn: Bool)

  public init?(_ command: Command) {
    guard command.header.module == .gpio else { return nil }
    let header = command.header
    let payload = command.payload
    if header.isRead {
      guard let quantity = Quantity(rawValue: header.register) else { return nil }
      switch payload.count {
      case 1: self = .read(quantity, pin: payload[0], nil, isSilent: header.isSilent)
      case 5:
        let options = ReadOptions(
          pullUpPin: payload[1], pullDownPin: payload[2], delaySteps: payload[3],
          virtualPin: payload[4])
        self = .read(quantity, pin: payload[0], options, isSilent: header.isSilent)
      default: return nil
      }
      return
    }
    switch (header.registerByte, payload.count) {
    case (0x01...0x02, 1): self = .write(pin: payload[0], isHigh: header.register == 0x01)
    case (0x03...0x05, 1):
      guard let pull = Pull(rawValue: header.register) else { return nil }
      self = .pull(pull, pin: payload[0])
    case (0x09, 2):
      guard let edge = Edge(rawValue: payload[1]) else { return nil }
      self = .edge(edge, pin: payload[0])
    case (0x0b, 2):
      guard let isOn = Bool(wire: payload[1]) else { return nil }
      self = .watch(pin: payload[0], isOn: isOn)
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .write(let pin, let isHigh): Command(.gpio, isHigh ? 0x01 : 0x02, [pin])
    case .pull(let pull, let pin): Command(.gpio, pull.rawValue, [pin])
    case .read(let quantity, let pin, let options, let isSilent):
      Command(
        PacketHeader(.gpio, quantity.rawValue, isRead: true, isSilent: isSilent),
        [pin] + (options?.bytes ?? []))
    case .edge(let edge, let pin): Command(.gpio, 0x09, [pin, edge.rawValue])
    case .watch(let pin, let isOn): Command(.gpio, 0x0b, [pin, isOn.wire])
    }
  }
}

extension GPIO.Reading {
  init?(decoding packet: Span<UInt8>, _ header: PacketHeader) throws(DecodeError) {
    switch (header.register, header.isRead) {
    case (0x06, true), (0x07, true):
      try packet.require(5)
      let value = packet.uint16(at: 3)
      self =
        header.register == 0x06
        ? .millivolts(pin: packet[2], value) : .ratio(pin: packet[2], value)
    case (0x08, true):
      try packet.require(4)
      self = .level(pin: packet[2], isHigh: packet[3] != 0)
    case (0x0a, false):
      try packet.require(4)
      self = .change(pin: packet[2], isHigh: packet[3] != 0)
    default: return nil
    }
  }
}
