/// The colour sensor of a board (module 17), a TCS34725. It sends a value only when
/// it is read; `PolledStream` records it.
public enum ColourSensor: ModuleCommand {
  /// Amplification; the raw value is the chip's code.
  public enum Gain: UInt8, Hashable, Sendable, CaseIterable {
    /// None.
    case times1 = 0
    /// Fourfold.
    case times4 = 1
    /// Sixteenfold.
    case times16 = 2
    /// Sixtyfold.
    case times60 = 3

    public var factor: Int { [1, 4, 16, 60][Int(rawValue)] }
  }

  /// One reading: raw counts without a filter and through three.
  public struct Reading: Hashable, Sendable, BitwiseCopyable {
    /// All light.
    public let clear: UInt16
    public let red: UInt16
    public let green: UInt16
    public let blue: UInt16

    public init(clear: UInt16, red: UInt16, green: UInt16, blue: UInt16) {
      self.clear = clear
      self.red = red
      self.green = green
      self.blue = blue
    }

    init(decoding packet: Span<UInt8>) throws(DecodeError) {
      try packet.require(10)
      clear = packet.uint16(at: 2)
      red = packet.uint16(at: 4)
      green = packet.uint16(at: 6)
      blue = packet.uint16(at: 8)
    }
  }

  /// Sets the integration time in steps of 2.4 ms (1 to 256), the amplification, and the LED.
  case configure(integrationSteps: Int, Gain, isLit: Bool)

  /// Milliseconds in a step of the integration.
  public static let stepMilliseconds = 2.4

  public static func integrationSteps(milliseconds: Double) -> Int {
    min(max((milliseconds / stepMilliseconds).rounded().wholeNumber, 1), 256)
  }

  /// Reads `17 02` and three bytes.
  public init?(_ command: Command) {
    let payload = command.payload
    guard command.header == PacketHeader(.colour, 0x02), payload.count == 3,
      let gain = Gain(rawValue: payload[1]), let isLit = Bool(wire: payload[2])
    else { return nil }
    self = .configure(integrationSteps: 256 - Int(payload[0]), gain, isLit: isLit)
  }

  /// A write to module 17.
  public var command: Command {
    switch self {
    case .configure(let steps, let gain, let isLit):
      Command(.colour, 0x02, [UInt8(clamping: 256 - steps), gain.rawValue, isLit.wire])
    }
  }
}

extension Double {
  /// The value as an integer; 0 if it is not a whole number or too large.
  var wholeNumber: Int { Int(exactly: self) ?? 0 }
}
