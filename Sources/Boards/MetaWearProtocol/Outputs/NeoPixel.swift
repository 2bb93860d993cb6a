/// Commands for strands of NeoPixel lights (module 06), on old boards.
public enum NeoPixel: ModuleCommand {
  /// The order of the colour components in a strand's data.
  public enum Order: UInt8, Hashable, Sendable, CaseIterable {
    case redGreenBlue = 0
    case redBlueGreen = 1
    case greenRedBlue = 2
    case greenBlueRed = 3
  }

  /// Number of rotations that makes a pattern rotate forever.
  public static let endless: UInt8 = 0xff

  /// Initialises a strand of `count` lights connected to a pin.
  case open(strand: UInt8, Order, isFast: Bool, pin: UInt8, count: UInt8)
  /// Freezes the lights while colours are being set.
  case hold(strand: UInt8, isOn: Bool)
  /// Turns off the lights from `first` to `last`.
  case clear(strand: UInt8, first: UInt8, last: UInt8)
  case colour(strand: UInt8, index: UInt8, red: UInt8, green: UInt8, blue: UInt8)
  /// Rotates the pattern along the strand, either away from the board or towards it.
  case rotate(strand: UInt8, isAway: Bool, times: UInt8, milliseconds: UInt16)
  /// Releases the strand.
  case close(strand: UInt8)

  public static func stopRotation(strand: UInt8) -> NeoPixel {
    .rotate(strand: strand, isAway: false, times: 0, milliseconds: 0)
  }

  public init?(_ command: Command) {
    guard command.header.module == .neoPixel else { return nil }
    let payload = command.payload
    switch (command.header.registerByte, payload.count) {
    case (0x01, 4):
      guard payload[1] & 0xf8 == 0, let order = Order(rawValue: payload[1] & 3) else { return nil }
      self = .open(
        strand: payload[0], order, isFast: payload[1] & 4 != 0, pin: payload[2], count: payload[3])
    case (0x02, 2):
      guard let isOn = Bool(wire: payload[1]) else { return nil }
      self = .hold(strand: payload[0], isOn: isOn)
    case (0x03, 3): self = .clear(strand: payload[0], first: payload[1], last: payload[2])
    case (0x04, 5):
      self = .colour(
        strand: payload[0], index: payload[1], red: payload[2], green: payload[3],
        blue: payload[4])
    case (0x05, 5):
      guard let isAway = Bool(wire: payload[1]) else { return nil }
      self = .rotate(
        strand: payload[0], isAway: isAway, times: payload[2],
        milliseconds: payload.span.uint16(at: 3))
    case (0x06, 1): self = .close(strand: payload[0])
    default: return nil
    }
  }

  public var command: Command {
    switch self {
    case .open(let strand, let order, let isFast, let pin, let count):
      Command(.neoPixel, 0x01, [strand, (isFast ? 4 : 0) | order.rawValue, pin, count])
    case .hold(let strand, let isOn): Command(.neoPixel, 0x02, [strand, isOn.wire])
    case .clear(let strand, let first, let last): Command(.neoPixel, 0x03, [strand, first, last])
    case .colour(let strand, let index, let red, let green, let blue):
      Command(.neoPixel, 0x04, [strand, index, red, green, blue])
    case .rotate(let strand, let isAway, let times, let milliseconds):
      Command(
        .neoPixel, 0x05, [strand, isAway.wire, times] + milliseconds.littleEndianBytes)
    case .close(let strand): Command(.neoPixel, 0x06, [strand])
    }
  }
}
