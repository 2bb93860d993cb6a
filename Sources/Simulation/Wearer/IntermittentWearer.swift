/// A wearer who stands and then walks, again and again.
public struct IntermittentWearer: Wearer {
  private let gait: GaitWearer
  private let rest: Double
  private let period: Double

  /// A wearer who stands for `rest` seconds and then walks for `walk` seconds, like `GaitWearer`.
  public init(seed: UInt64, board: Int = 0, rest: Double, walk: Double) {
    gait = GaitWearer(seed: seed, board: board)
    self.rest = rest
    period = rest + walk
  }

  /// Whether the wearer walks at a time.
  public func walks(at time: Double) -> Bool {
    time.truncatingRemainder(dividingBy: period) >= rest
  }

  /// The walk, or gravity along the shank.
  public func acceleration(at time: Double) -> SIMD3<Double> {
    walks(at: time) ? gait.acceleration(at: time) : SIMD3(1, 0, 0)
  }

  /// The walk, or no rotation.
  public func angularVelocity(at time: Double) -> SIMD3<Double> {
    walks(at: time) ? gait.angularVelocity(at: time) : .zero
  }

  /// The walk's orientation, also at rest.
  public func orientation(at time: Double) -> Orientation { gait.orientation(at: time) }
}
