/// A three-axis sensor that streams: accelerometer or gyroscope, as the board's module table
/// describes it.
///
/// A stream needs `configure` while stopped, a subscription, `enableDataReady` and `powerOn`.
public protocol MotionSensor: Sendable {
  var module: ModuleID { get }
  /// Name of the chip, for messages.
  var chipName: String { get }
  /// Name of the signal, such as `acceleration`.
  var signal: String { get }
  /// Unit of the signal.
  var unit: String { get }
  /// The rates of the chip, slowest first.
  var rates: [SampleRate] { get }
  /// The ranges of the chip, narrowest first.
  var ranges: [MeasuringRange] { get }
  /// Register that notifies one sample per packet.
  var sampleRegister: UInt8 { get }
  /// Register that notifies three samples per packet; `nil` if the module is too old for it.
  var packedRegister: UInt8? { get }

  /// Sets rate and range; the board accepts this only while the sensor is stopped.
  func configure(_ configuration: SensorConfiguration) -> Command
  /// Reads the answer to `readConfiguration`.
  func configuration(decoding reply: Span<UInt8>) throws(DecodeError) -> SensorConfiguration
  /// Starts measuring; last of the four steps.
  func powerOn(_ configuration: SensorConfiguration) -> Command
  /// Lets finished samples leave the sensor.
  var enableDataReady: Command { get }
  /// Undoes `enableDataReady`.
  var disableDataReady: Command { get }
}

extension MotionSensor {
  /// Asks for the board's present rate and range, to resynchronise after a reconnect.
  public var readConfiguration: Command { .read(module, 3) }

  /// Stops measuring; first of the steps to stop.
  public var powerOff: Command { Command(module, 1, [0]) }

  public var samples: SampleSource {
    SampleSource(module, sampleRegister, packed: packedRegister, encoding: .vector)
  }

  /// The source of its samples for a data processor or an event.
  public var source: SignalSource { samples.signal }

  /// Looks up rate and range in the chip's tables.
  public func configuration(
    rate: Double, range: Double
  ) throws(SettingError) -> SensorConfiguration {
    guard let foundRate = rates.map(\.hertz).place(ofRate: rate) else {
      throw .rate(rate, signal: signal, chip: chipName, available: rates.map(\.hertz))
    }
    guard let foundRange = ranges.first(where: { $0.limit == range }) else {
      throw .range(
        range, signal: signal, chip: chipName, available: ranges.map(\.limit), unit: unit)
    }
    return SensorConfiguration(rate: rates[foundRate], range: foundRange)
  }

  /// The chip's rate and range nearest to these.
  public func configuration(nearestRate rate: Double, range: Double) -> SensorConfiguration? {
    guard let nearest = rates.min(by: { abs($0.hertz - rate) < abs($1.hertz - rate) }),
      let widest = ranges.min(by: { abs($0.limit - range) < abs($1.limit - range) })
    else { return nil }
    return SensorConfiguration(rate: nearest, range: widest)
  }

  /// Reads `[module, 83, rate code, range code]`, the form of every chip but one.
  func twoByteConfiguration(
    decoding reply: Span<UInt8>
  ) throws(DecodeError) -> SensorConfiguration {
    try requireConfigurationReply(reply, length: 4)
    return try lookUp(
      rateCode: reply[2], rateOffset: 2, rangeCode: reply[3], rangeOffset: 3)
  }

  func requireConfigurationReply(_ reply: Span<UInt8>, length: Int) throws(DecodeError) {
    guard try PacketHeader(decoding: reply) == PacketHeader(module, 3, isRead: true) else {
      throw .otherPacket
    }
    try reply.require(length)
  }

  func lookUp(
    rateCode: UInt8, rateOffset: Int, rangeCode: UInt8, rangeOffset: Int
  ) throws(DecodeError) -> SensorConfiguration {
    guard let rate = rates.first(where: { $0.code == rateCode }) else {
      throw .unknownCode(rateCode, at: rateOffset)
    }
    guard let range = ranges.first(where: { $0.code == rangeCode }) else {
      throw .unknownCode(rangeCode, at: rangeOffset)
    }
    return SensorConfiguration(rate: rate, range: range)
  }
}
