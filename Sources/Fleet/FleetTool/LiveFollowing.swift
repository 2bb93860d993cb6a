internal import Fleet
internal import LinuxSystem
internal import Sharing
internal import Values

/// Handles the gateways' live messages for an upload server. Receives the messages from the broker,
/// stores the latest ones in the database, and sends them to readers.
final class LiveFollowing: Sendable {
  let hub: LiveHub
  private let keeper: LiveKeeper
  private let broker: BrokerConnection

  /// Subscribes to the fleets' messages at a broker. Reads the list of gateways from the database.
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

  /// Ends the readers' streams, saves unsaved states, and disconnects from the broker.
  func stop() {
    broker.stop(within: 0)
    hub.stop()
    keeper.stop()
  }
}
