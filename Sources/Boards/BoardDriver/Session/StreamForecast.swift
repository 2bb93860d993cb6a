public import MetaWearProtocol
public import Recording

/// A stream as a board would be set up for it, computed without a board from the modules of its
/// model.
public struct StreamForecast: Hashable, Sendable {
  /// Signal, axes and rate. The rate is one that the chip has.
  public var description: StreamDescription
  /// The module that measures it.
  public var owner: ModuleID
  /// Packets a second that carry it.
  public var packetRate: Double

  /// Packets a second that a link is assumed to carry.
  public static let mostPackets = StreamPlan.packetBudget

  /// The streams of these requests. Throws the refusal of a board with these modules.
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
