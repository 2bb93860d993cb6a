/// Commands for a board's colour sensor (module 17), a TCS34725. The sensor sends a value only in
/// response to a read; `PolledStream` records these values.
public enum ColourSensor: ModuleCommand {
  /// Gain of the colour sensor. The raw value is the chip's code.
  public enum Gain: UInt8, Hashable, Sendable, CaseIterable {
    case times1 = 0
    case times4 = 1
    case times16 = 2
    case times60 = 3

    public var factor: Int { [1, 4, 16, 60][Int(rawValue)] }
  }

  /// One reading: raw counts measured without a filter and through three colour filters.
  public struct Reading: Hashable, Sendable, BitwiseCopyable {
    /// Raw counts of light of all colours, measured without a filter.
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

  /// Sets the integration time in steps of 2.4 ms (1 to 256), the gain, and whether the sensor's
  /// LED is on.
  case configure(integrationSteps: Int, Gain, isLit: Bool)

  /// Milliseconds per step of the integration time.
  public static let stepMilliseconds = 2.4

  public static func integrationSteps(milliseconds: Double) -> Int {
    min(max((milliseconds / stepMilliseconds).rounded().wholeNumber, 1), 256)
  }

  /// Decodes `17 02` followed by three bytes. Returns `nil` for any other command.
  public init?(_ command: Command) {
    let payload = command.payload
    guard command.header == PacketHeader(.colour, 0x02), payload.count == 3,
      let gain = Gain(rawValue: payload[1]), let isLit = Bool(wire: payload[2])
    else { return nil }
    self = .configure(integrationSteps: 256 - Int(payload[0]), gain, isLit: isLit)
  }

  public var command: Command {
    switch self {
    case .configure(let steps, let gain, let isLit):
      Command(.colour, 0x02, [UInt8(clamping: 256 - steps), gain.rawValue, isLit.wire])
    }
  }
}

extension Double {
  /// The value as an integer, or 0 if it is not a whole number or is too large.
  var wholeNumber: Int { Int(exactly: self) ?? 0 }
}
