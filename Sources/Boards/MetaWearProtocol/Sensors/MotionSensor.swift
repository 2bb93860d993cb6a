/// A three-axis sensor that can stream. It is an accelerometer or a gyroscope, as described by the
/// board's module table.
///
/// To stream, send `configure` while the sensor is stopped. Then send a subscription,
/// `enableDataReady` and `powerOn`.
public protocol MotionSensor: Sendable {
  var module: ModuleID { get }
  /// Name of the chip, for use in messages.
  var chipName: String { get }
  var signal: String { get }
  var unit: String { get }
  /// The chip's sampling rates, slowest first.
  var rates: [SampleRate] { get }
  /// The chip's measuring ranges, narrowest first.
  var ranges: [MeasuringRange] { get }
  /// Register whose notifications contain one sample each.
  var sampleRegister: UInt8 { get }
  /// Register whose notifications contain three samples each, or `nil` if the module is too old to
  /// have one.
  var packedRegister: UInt8? { get }

  /// Sets the rate and range. The board accepts this only while the sensor is stopped.
  func configure(_ configuration: SensorConfiguration) -> Command
  /// Decodes the response to `readConfiguration`.
  func configuration(decoding reply: Span<UInt8>) throws(DecodeError) -> SensorConfiguration
  /// Starts measuring. This is the last of the four steps that start a stream.
  func powerOn(_ configuration: SensorConfiguration) -> Command
  /// Enables sample delivery.
  var enableDataReady: Command { get }
  /// Disables sample delivery.
  var disableDataReady: Command { get }
}

extension MotionSensor {
  /// Requests the rate and range that are currently set on the board, for use after a reconnect.
  public var readConfiguration: Command { .read(module, 3) }

  /// Stops measuring. This is the first of the steps that stop a stream.
  public var powerOff: Command { Command(module, 1, [0]) }

  public var samples: SampleSource {
    SampleSource(module, sampleRegister, packed: packedRegister, encoding: .vector)
  }

  /// The sensor's samples, as a source for data processors and events.
  public var source: SignalSource { samples.signal }

  /// The rate and the range must be in the chip's tables.
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

  public func configuration(nearestRate rate: Double, range: Double) -> SensorConfiguration? {
    guard let nearest = rates.min(by: { abs($0.hertz - rate) < abs($1.hertz - rate) }),
      let widest = ranges.min(by: { abs($0.limit - range) < abs($1.limit - range) })
    else { return nil }
    return SensorConfiguration(rate: nearest, range: widest)
  }

  /// Decodes `[module, 83, rate code, range code]`, the format used by all chips but one.
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
