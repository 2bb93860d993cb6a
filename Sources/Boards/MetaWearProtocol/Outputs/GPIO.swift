/// The pins of a board (module 05).
public enum GPIO: ModuleCommand {
  /// The bit in the module info for a pin that can measure its voltage.
  static let analogAbility: UInt8 = 2

  /// Level of an input that nothing drives; the raw value is the register.
  public enum Pull: UInt8, Hashable, Sendable, CaseIterable {
    /// Pulled high.
    case up = 0x03
    /// Pulled low.
    case down = 0x04
    /// Not pulled.
    case none = 0x05
  }

  /// Changes of a pin that are reported.
  public enum Edge: UInt8, Hashable, Sendable, CaseIterable {
    /// None.
    case off = 0
    /// To high.
    case rising = 1
    /// To low.
    case falling = 2
    /// Both.
    case any = 3
  }

  /// The quantity to read from a pin; the raw value is the register.
  public enum Quantity: UInt8, Hashable, Sendable, CaseIterable {
    /// Its voltage in millivolts.
    case millivolts = 0x06
    /// Its voltage as a part of the supply, 0 to 1023.
    case ratio = 0x07
    /// High or low.
    case level = 0x08
  }

  /// Settings during an analogue read; module revision 2.
  public struct ReadOptions: Hashable, Sendable, BitwiseCopyable {
    /// The value for "no pin".
    public static let noPin: UInt8 = 0xff

    /// A pin held high during the read.
    public let pullUpPin: UInt8
    /// A pin held low during the read.
    public let pullDownPin: UInt8
    /// Wait before the read, in steps of 4 µs; 0 for none.
    public let delaySteps: UInt8
    /// The number that replaces the pin's in the reply.
    public let virtualPin: UInt8

    /// Options; an omitted option has no effect.
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

  /// The value of a pin.
  public enum Reading: Hashable, Sendable, BitwiseCopyable {
    /// Its voltage in millivolts.
    case millivolts(pin: UInt8, UInt16)
    /// Its voltage in 1023rds of the supply.
    case ratio(pin: UInt8, UInt16)
    /// High or low, read on request.
    case level(pin: UInt8, isHigh: Bool)
    /// High or low, after a change.
    case change(pin: UInt8, isHigh: Bool)
  }

  /// Drives a pin.
  case write(pin: UInt8, isHigh: Bool)
  /// Makes a pin an input.
  case pull(Pull, pin: UInt8)
  /// Reads a pin, for the host or silently for consumers on the board; modules of revision 2
  /// require options for analogue reads.
  case read(Quantity, pin: UInt8, ReadOptions?, isSilent: Bool)
  /// Sets which changes are reported while the pin is watched.
  case edge(Edge, pin: UInt8)
  /// Starts or stops watching a pin.
  case watch(pin: UInt8, isOn: Bool)

  /// Reads a packet to module 05.
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

  /// A packet to module 05.
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
