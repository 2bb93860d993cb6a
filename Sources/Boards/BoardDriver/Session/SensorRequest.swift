public import MetaWearProtocol

/// A sensor to stream: which signal, how often and how far it measures, and how it is to be sent.
public struct SensorRequest: Hashable, Sendable {
  /// Name of the signal, such as `acceleration`.
  public var signal: String
  /// Samples per second; `nil` for what is usual of such a sensor.
  public var rate: Double?
  /// Largest magnitude, in the unit of the signal; `nil` for the widest the chip has.
  public var range: Double?
  /// How its samples are to be put into packets; `nil` leaves the choice to the session.
  public var layout: StreamLayout.Kind?

  /// A request with these parts; the board's chip decides whether it can be met.
  public init(
    signal: String, rate: Double?, range: Double? = nil, layout: StreamLayout.Kind? = nil
  ) {
    self.signal = signal
    self.rate = rate
    self.range = range
    self.layout = layout
  }
}
