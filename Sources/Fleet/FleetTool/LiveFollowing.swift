internal import Fleet
internal import LinuxSystem
internal import Sharing
internal import Values

/// Handles the live messages of gateways for an upload server: takes them from the broker, keeps
/// the last ones in the database, and sends them to readers.
final class LiveFollowing: Sendable {
  /// The states of the gateways.
  let hub: LiveHub
  private let keeper: LiveKeeper
  private let broker: BrokerConnection

  /// Follows fleets at a broker. The gateways are read from the database.
  init(
    _ settings: BrokerSettings, fleets: [String], into database: String,
    report: @escaping @Sendable (LogEvent) -> Void
  ) throws {
    let members = try FleetDatabase(database)
    try members.checkVersion()
    hub = try LiveHub(fleets: fleets, gateways: try members.gatewayNames(), report: report)
    keeper = try LiveKeeper(hub, into: database, report: report)
    broker = try BrokerConnection(settings, subscribingTo: hub.filters) { [hub] in hub.take($0) }
  }

  /// Ends the streams, saves the rest, and disconnects from the broker.
  func stop() {
    broker.stop(within: 0)
    hub.stop()
    keeper.stop()
  }
}
