public import MetaWearProtocol
public import Recording

/// A sensor to stream: which signal, how often and how far it measures.
public struct SensorRequest: Hashable, Sendable {
  /// Name of the signal, such as `acceleration`.
  public var signal: String
  /// Samples per second.
  public var rate: Double
  /// Largest magnitude, in the unit of the signal.
  public var range: Double

  /// A request with these parts; the board's chip decides whether it can be met.
  public init(signal: String, rate: Double, range: Double) {
    self.signal = signal
    self.rate = rate
    self.range = range
  }
}

/// A stream as it was set up on the board, with what is needed to decode it.
public struct BoardStream: Sendable {
  /// The sensor it comes from.
  public var sensor: any MotionSensor
  /// Rate and range.
  public var configuration: SensorConfiguration
  /// How its samples are put into packets.
  public var layout: StreamLayout

  /// A stream of a sensor, set up like this.
  public init(
    sensor: any MotionSensor, configuration: SensorConfiguration, layout: StreamLayout
  ) {
    self.sensor = sensor
    self.configuration = configuration
    self.layout = layout
  }

  /// What the stream carries, for the recorder and everything behind it.
  public var description: StreamDescription {
    StreamDescription(
      signal: sensor.signal, unit: sensor.unit,
      countsPerUnit: configuration.range.countsPerUnit, rate: configuration.rate.hertz,
      lossAccounting: layout.lossAccounting)
  }
}
