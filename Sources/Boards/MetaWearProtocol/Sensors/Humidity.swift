/// Commands for a board's humidity sensor (module 16), a BME280. The sensor sends a value only in
/// response to a read; `PolledStream` records these values.
public enum Humidity: ModuleCommand {
  /// Number of measurements averaged for each value. The raw value is the chip's code.
  public enum Oversampling: UInt8, Hashable, Sendable, CaseIterable {
    case once = 1
    case twice = 2
    case fourTimes = 3
    case eightTimes = 4
    case sixteenTimes = 5

    public var factor: Int { 1 << (Int(rawValue) - 1) }
  }

  /// Counts per percent of relative humidity.
  public static let countsPerPercent = 1024.0

  case oversampling(Oversampling)

  /// Decodes `16 02 code`.
  public init?(_ command: Command) {
    let payload = command.payload
    guard command.header == PacketHeader(.humidity, 0x02), payload.count == 1,
      let oversampling = Oversampling(rawValue: payload[0])
    else { return nil }
    self = .oversampling(oversampling)
  }

  public var command: Command {
    switch self {
    case .oversampling(let oversampling): Command(.humidity, 0x02, [oversampling.rawValue])
    }
  }
}
