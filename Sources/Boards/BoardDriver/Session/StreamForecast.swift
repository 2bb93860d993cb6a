public import MetaWearProtocol
public import Recording

/// Predicts how a stream would be set up on a board, based on the modules of its model.
public struct StreamForecast: Hashable, Sendable {
  /// The stream's signal, axes and rate. The rate is one that the chip supports.
  public var description: StreamDescription
  /// The module that measures the signal.
  public var owner: ModuleID
  /// Number of packets per second that the stream needs.
  public var packetRate: Double

  /// Maximum number of packets per second that a link is assumed to deliver.
  public static let mostPackets = StreamPlan.packetBudget

  /// Returns the streams that would be set up for these requests. Throws if a board with these
  /// modules cannot stream them.
  public static func streams(
    of requests: [SensorRequest], on modules: ModuleTable
  ) throws(BoardFailure) -> [StreamForecast] {
    try StreamPlan(requests, on: modules).streams.map { stream in
      StreamForecast(
        description: stream.setup.description, owner: stream.setup.owner,
        packetRate: stream.setup.rate / Double(stream.layout.samplesPerPacket))
    }
  }
}
