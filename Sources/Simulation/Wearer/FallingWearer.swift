import Glibc

/// Somebody who walks, stumbles, falls to the ground and stays there.
///
/// The leg tips forward about the knee of the other while hardly anything carries it, strikes the
/// ground, and lies still; acceleration, angular velocity and orientation agree throughout.
public struct FallingWearer: Wearer {
  /// True time at which they stumble.
  public let fallTime: Double

  /// Seconds from the stumble to the ground.
  public static let fallSeconds = 0.45
  /// Degrees by which the leg tips.
  private static let tippedDegrees = 85.0
  /// Seconds in which the ground is lost.
  private static let releaseSeconds = 0.06
  /// What is still felt while falling, in g.
  private static let falling = 0.12
  /// Seconds in which the blow dies away; it rings at so many cycles per second.
  private static let blow = (strength: 9.0, decay: 0.045, frequency: 11.0)

  private let gait: GaitWearer
  /// How the leg stood when it stumbled.
  private let start: Orientation

  /// A walk as of `GaitWearer` that ends in a fall.
  public init(seed: UInt64, board: Int = 0, at time: Double) {
    gait = GaitWearer(seed: seed, board: board)
    fallTime = time
    start = gait.orientation(at: time)
  }

  /// The walk; next to nothing; the blow of the ground; gravity.
  public func acceleration(at time: Double) -> SIMD3<Double> {
    guard time >= fallTime else { return gait.acceleration(at: time) }
    let up = orientation(at: time).inverse(SIMD3(0, 0, 1))
    let landed = time - fallTime - Self.fallSeconds
    guard landed < 0 else {
      let ring = exp(-landed / Self.blow.decay) * cos(2 * Double.pi * Self.blow.frequency * landed)
      return up * (1 + Self.blow.strength * ring * min(1, landed / 0.004))
    }
    // The last step is let go of, so that nothing jumps.
    let hold = max(0, 1 - (time - fallTime) / Self.releaseSeconds)
    return gait.acceleration(at: fallTime) * hold + up * (Self.falling * (1 - hold))
  }

  /// The walk; the leg tipping over; nothing.
  public func angularVelocity(at time: Double) -> SIMD3<Double> {
    guard time >= fallTime else { return gait.angularVelocity(at: time) }
    let part = (time - fallTime) / Self.fallSeconds
    guard part < 1 else { return .zero }
    // The derivative of the part that is tipped.
    let rate = Self.tippedDegrees * 6 * part * (1 - part) / Self.fallSeconds
    return orientation(at: time).inverse(SIMD3(-rate, 0, 0))
  }

  /// The walk to the north; tipping forward; face down.
  public func orientation(at time: Double) -> Orientation {
    guard time >= fallTime else { return gait.orientation(at: time) }
    let part = min(1, (time - fallTime) / Self.fallSeconds)
    // Slow at both ends.
    let tipped = Self.tippedDegrees * part * part * (3 - 2 * part)
    // From up to the north: about the axis to the east, clockwise seen against it.
    return Orientation(degrees: -tipped, about: SIMD3(1, 0, 0)) * start
  }
}
