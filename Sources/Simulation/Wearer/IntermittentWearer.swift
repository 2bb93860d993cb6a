/// A wearer who alternates between standing and walking.
public struct IntermittentWearer: Wearer {
  private let gait: GaitWearer
  private let rest: Double
  private let period: Double

  /// Creates a wearer who alternates between standing for `rest` seconds and walking like
  /// `GaitWearer` for `walk` seconds.
  public init(seed: UInt64, board: Int = 0, rest: Double, walk: Double) {
    gait = GaitWearer(seed: seed, board: board)
    self.rest = rest
    period = rest + walk
  }

  public func walks(at time: Double) -> Bool {
    time.truncatingRemainder(dividingBy: period) >= rest
  }

  /// Returns the walk's acceleration, or gravity along the shank while the wearer stands.
  public func acceleration(at time: Double) -> SIMD3<Double> {
    walks(at: time) ? gait.acceleration(at: time) : SIMD3(1, 0, 0)
  }

  /// Returns the walk's angular velocity, or zero while the wearer stands.
  public func angularVelocity(at time: Double) -> SIMD3<Double> {
    walks(at: time) ? gait.angularVelocity(at: time) : .zero
  }

  /// Returns the walk's orientation, even while the wearer stands.
  public func orientation(at time: Double) -> Orientation { gait.orientation(at: time) }
}
