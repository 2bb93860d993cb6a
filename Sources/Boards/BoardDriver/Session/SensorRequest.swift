public import MetaWearProtocol

/// A sensor to stream: its signal, rate, range and packet layout.
public struct SensorRequest: Hashable, Sendable {
  /// Name of the signal, such as `acceleration`.
  public var signal: String
  /// Samples per second; `nil` for the usual rate of such a sensor.
  public var rate: Double?
  /// Largest magnitude, in the unit of the signal; `nil` for the chip's widest range.
  public var range: Double?
  /// Layout of its samples in packets; if `nil`, the session chooses.
  public var layout: StreamLayout.Kind?

  /// A request, which the board's chip may be unable to meet.
  public init(
    signal: String, rate: Double?, range: Double? = nil, layout: StreamLayout.Kind? = nil
  ) {
    self.signal = signal
    self.rate = rate
    self.range = range
    self.layout = layout
  }

  /// Throws the board's refusal if its modules cannot meet these requests.
  public static func check(
    _ requests: [SensorRequest], on modules: ModuleTable
  ) throws(BoardFailure) {
    _ = try StreamPlan(requests, on: modules)
  }
}
