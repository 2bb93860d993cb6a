import Glibc

/// A wearer who walks, stumbles, falls to the ground and stays there.
///
/// In near free fall, the leg tips forward. Then the leg hits the ground and lies still.
/// Acceleration, angular velocity and orientation are consistent throughout.
public struct FallingWearer: Wearer {
  /// True time of the stumble.
  public let fallTime: Double

  /// Seconds between the stumble and the impact.
  public static let fallSeconds = 0.45
  /// The angle in degrees through which the leg tips.
  private static let tippedDegrees = 85.0
  /// Seconds until the ground's support has decreased to zero.
  private static let releaseSeconds = 0.06
  /// The remaining force during the fall, in g.
  private static let falling = 0.12
  /// The impact: its strength in g, its decay time in seconds, and its ringing frequency in hertz.
  private static let blow = (strength: 9.0, decay: 0.045, frequency: 11.0)

  private let gait: GaitWearer
  /// The leg's orientation when the wearer stumbles.
  private let start: Orientation

  /// Creates a wearer who walks like `GaitWearer` and falls at `time`.
  public init(seed: UInt64, board: Int = 0, at time: Double) {
    gait = GaitWearer(seed: seed, board: board)
    fallTime = time
    start = gait.orientation(at: time)
  }

  /// Returns the force while walking, then in near free fall, then during the impact, and finally
  /// gravity alone.
  public func acceleration(at time: Double) -> SIMD3<Double> {
    guard time >= fallTime else { return gait.acceleration(at: time) }
    let up = orientation(at: time).inverse(SIMD3(0, 0, 1))
    let landed = time - fallTime - Self.fallSeconds
    guard landed < 0 else {
      let ring = exp(-landed / Self.blow.decay) * cos(2 * Double.pi * Self.blow.frequency * landed)
      return up * (1 + Self.blow.strength * ring * min(1, landed / 0.004))
    }
    // The last step fades out, so that the signal has no jump.
    let hold = max(0, 1 - (time - fallTime) / Self.releaseSeconds)
    return gait.acceleration(at: fallTime) * hold + up * (Self.falling * (1 - hold))
  }

  /// Returns the angular velocity of the walking leg, then of the tipping leg, and finally zero.
  public func angularVelocity(at time: Double) -> SIMD3<Double> {
    guard time >= fallTime else { return gait.angularVelocity(at: time) }
    let part = (time - fallTime) / Self.fallSeconds
    guard part < 1 else { return .zero }
    // The derivative of the tipping angle.
    let rate = Self.tippedDegrees * 6 * part * (1 - part) / Self.fallSeconds
    return orientation(at: time).inverse(SIMD3(-rate, 0, 0))
  }

  /// Returns the leg's orientation: first walking north, then tipping forward, then lying face
  /// down.
  public func orientation(at time: Double) -> Orientation {
    guard time >= fallTime else { return gait.orientation(at: time) }
    let part = min(1, (time - fallTime) / Self.fallSeconds)
    // The motion is slow at the beginning and at the end.
    let tipped = Self.tippedDegrees * part * part * (3 - 2 * part)
    // A rotation from up to north is about the east axis, clockwise when seen from the east.
    return Orientation(degrees: -tipped, about: SIMD3(1, 0, 0)) * start
  }
}
