/// Commands for a board's proximity sensor (module 18), a TSL2671. The sensor sends a value only in
/// response to a read; `PolledStream` records these values.
public enum Proximity: ModuleCommand {
  /// The photodiodes that measure the reflected light. The raw value is the chip's code.
  public enum Diode: UInt8, Hashable, Sendable, CaseIterable {
    /// The diode for visible and infrared light.
    case channel0 = 1
    /// The diode for infrared light.
    case channel1 = 2
    case both = 3
  }

  /// Current through the sensor's light source. The raw value is the chip's code.
  public enum Current: UInt8, Hashable, Sendable, CaseIterable {
    case milliamperes100 = 0
    case milliamperes50 = 1
    case milliamperes25 = 2
    case milliamperes12half = 3

    public var milliamperes: Double { [100, 50, 25, 12.5][Int(rawValue)] }
  }

  /// Sets the integration time in steps of 2.72 ms (1 to 256), the number of light pulses, the
  /// photodiodes and the current.
  case configure(integrationSteps: Int, pulses: UInt8, Diode, Current)

  /// Milliseconds per step of the integration time.
  public static let stepMilliseconds = 2.72

  public static func integrationSteps(milliseconds: Double) -> Int {
    min(max((milliseconds / stepMilliseconds).rounded().wholeNumber, 1), 256)
  }

  /// Decodes `18 02` followed by three bytes. Returns `nil` for any other command.
  public init?(_ command: Command) {
    let payload = command.payload
    guard command.header == PacketHeader(.proximity, 0x02), payload.count == 3,
      payload[2] & 0x0f == 0, let diode = Diode(rawValue: payload[2] >> 4 & 3),
      let current = Current(rawValue: payload[2] >> 6)
    else { return nil }
    self = .configure(
      integrationSteps: 256 - Int(payload[0]), pulses: payload[1], diode, current)
  }

  public var command: Command {
    switch self {
    case .configure(let steps, let pulses, let diode, let current):
      Command(
        .proximity, 0x02,
        [UInt8(clamping: 256 - steps), pulses, diode.rawValue << 4 | current.rawValue << 6])
    }
  }
}
