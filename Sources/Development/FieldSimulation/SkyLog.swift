internal import Simulation
internal import Values

/// Records the sentences that a receiver sent. It provides the ground truth for the positions.
struct SkyLog {
  /// The sentences that a receiver sends together, which report one position.
  struct Burst {
    var time: Double
    var utc: UTCTime
    var place: WalkRoute.Point
  }

  private(set) var bursts: [Burst] = []
  /// The times at which the receiver was switched on or off.
  private(set) var changes: [Double] = []

  mutating func take(_ second: UTCTime, _ place: WalkRoute.Point?, at time: Double) {
    if let place { bursts.append(Burst(time: time, utc: second, place: place)) }
  }

  mutating func changed(at time: Double) {
    changes.append(time)
  }
}
