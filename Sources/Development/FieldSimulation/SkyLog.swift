internal import Simulation
internal import Values

/// The bursts of a receiver: the truth about the positions.
struct SkyLog {
  /// A burst with a position.
  struct Burst {
    var time: Double
    var utc: UTCTime
    var place: WalkRoute.Point
  }

  private(set) var bursts: [Burst] = []
  /// Times at which the receiver was switched on or off.
  private(set) var changes: [Double] = []

  mutating func take(_ second: UTCTime, _ place: WalkRoute.Point?, at time: Double) {
    if let place { bursts.append(Burst(time: time, utc: second, place: place)) }
  }

  /// Notes that the receiver was switched on or off.
  mutating func changed(at time: Double) {
    changes.append(time)
  }
}
