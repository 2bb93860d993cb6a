internal import Values

/// A fault injected into a fleet under load.
enum FleetFault: String, CaseIterable, Sendable {
  case receiverKilled = "receiver killed"
  case primaryKilled = "primary killed"
  case standbyKilled = "standby killed"
  case proxyKilled = "proxy killed mid-response"
  case diskFull = "primary's disk full"
  case receiverAdded = "receiver added"

  /// Returns the faults to inject in a run, in order. In a cluster, the order is random but
  /// determined by the seed, except that a full disk comes first.
  static func plan(_ options: FleetOptions) -> [FleetFault] {
    guard options.kills > 0 else { return [] }
    var generator = SplitMix64(seed: options.seed)
    guard options.isCluster else {
      var faults = Array(repeating: FleetFault.receiverKilled, count: options.kills)
      faults[options.kills / 2] = .primaryKilled
      return faults
    }
    let databases = max(2, options.kills / 2)
    var faults: [FleetFault] =
      (0..<databases).map { $0 % 2 == 0 ? .primaryKilled : .standbyKilled }
      + Array(repeating: .receiverKilled, count: max(1, options.kills - databases))
      + [.proxyKilled, .receiverAdded]
    faults.shuffle(using: &generator)
    // Only the first primary is on a disk that can be filled.
    if options.disk != nil { faults.insert(.diskFull, at: 0) }
    return faults
  }
}
