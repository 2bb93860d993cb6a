internal import Values

/// A session of a fleet. Two gateways may have sessions with the same id.
struct FleetWalk: Hashable, Sendable {
  var session: UniqueID
  var gateway: UniqueID
}
