/// The humidity sensor of a board (module 16), a BME280. It sends a value only when
/// it is read; `PolledStream` records it.
public enum Humidity: ModuleCommand {
  /// Measurements averaged for one value; the raw value is the chip's code.
  public enum Oversampling: UInt8, Hashable, Sendable, CaseIterable {
    case once = 1
    /// Two.
    case twice = 2
    case fourTimes = 3
    case eightTimes = 4
    case sixteenTimes = 5

    /// Number of measurements.
    public var factor: Int { 1 << (Int(rawValue) - 1) }
  }

  /// Counts per percent of relative humidity.
  public static let countsPerPercent = 1024.0

  /// Measurements averaged.
  case oversampling(Oversampling)

  /// Reads `16 02 code`.
  public init?(_ command: Command) {
    let payload = command.payload
    guard command.header == PacketHeader(.humidity, 0x02), payload.count == 1,
      let oversampling = Oversampling(rawValue: payload[0])
    else { return nil }
    self = .oversampling(oversampling)
  }

  /// A write to module 16.
  public var command: Command {
    switch self {
    case .oversampling(let oversampling): Command(.humidity, 0x02, [oversampling.rawValue])
    }
  }
}
