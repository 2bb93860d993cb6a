internal import Values

/// A gateway played by the bench, its token and its only session.
struct FleetGateway: Sendable {
  var id: UniqueID
  var token: String
  var session = UniqueID.random()

  /// The id of its chunk with this number, computed so that it need not be kept.
  func chunk(_ number: Int) -> UniqueID {
    var generator = SplitMix64(
      seed: session.high ^ session.low &+ UInt64(number) &* 0xd6e8_feb8_6659_fd93)
    return UniqueID(high: generator.next(), low: generator.next())
  }
}
