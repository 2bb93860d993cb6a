public import MetaWearProtocol

/// A request to stream one sensor, with its signal, rate, range and packet layout.
public struct SensorRequest: Hashable, Sendable {
  /// Name of the signal, such as `acceleration`.
  public var signal: String
  /// Samples per second, or `nil` for the default rate of this kind of sensor.
  public var rate: Double?
  /// Largest magnitude to measure, in the signal's unit, or `nil` for the chip's widest range.
  public var range: Double?
  /// Packet layout of the samples. If `nil`, the session chooses.
  public var layout: StreamLayout.Kind?

  /// Creates a request. The board's chip may not be able to satisfy it.
  public init(
    signal: String, rate: Double?, range: Double? = nil, layout: StreamLayout.Kind? = nil
  ) {
    self.signal = signal
    self.rate = rate
    self.range = range
    self.layout = layout
  }

  /// Throws if a board with these modules cannot satisfy the requests.
  public static func check(
    _ requests: [SensorRequest], on modules: ModuleTable
  ) throws(BoardFailure) {
    _ = try StreamPlan(requests, on: modules)
  }
}
