internal import Values

/// Identifies a session in a fleet by its id and gateway, because two gateways may have sessions
/// with the same id.
struct FleetWalk: Hashable, Sendable {
  var session: UniqueID
  var gateway: UniqueID
}
