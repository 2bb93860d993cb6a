internal import Values

/// A simulated gateway with its token and its only session.
struct FleetGateway: Sendable {
  var id: UniqueID
  var token: String
  var session = UniqueID.random()

  /// Returns the id of the gateway's chunk with this number. The id is computed, so it does not
  /// need to be stored.
  func chunk(_ number: Int) -> UniqueID {
    var generator = SplitMix64(
      seed: session.high ^ session.low &+ UInt64(number) &* 0xd6e8_feb8_6659_fd93)
    return UniqueID(high: generator.next(), low: generator.next())
  }
}
