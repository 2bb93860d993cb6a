import Glibc

/// A gait, described by the rotation of the shank during a stride and the impact of the foot.
public struct Gait: Hashable, Sendable {
  /// A phase of the stride in which the shank rotates, described by a bell curve.
  struct Bump: Hashable, Sendable {
    /// Peak rate of rotation in degrees per second.
    var height: Double
    /// The phase at which the rate peaks.
    var centre: Double
    /// Standard deviation as a fraction of the stride.
    var width: Double

    func rate(atPhase phase: Double) -> Double {
      let straight = abs(phase - centre)
      let distance = min(straight, 1 - straight) / width
      return height * exp(-distance * distance / 2)
    }
  }

  /// Strides per second. Each stride has two steps.
  public let strideRate: Double
  /// Speed over ground in metres per second.
  public let speed: Double
  /// Push-off, the forward swing, and its deceleration. Heel strike is at phase 0.
  let bumps: [Bump]
  /// The strike's initial ringing amplitude in g.
  let strike: SIMD3<Double>
  /// The strike's ringing frequency in hertz.
  let ringFrequency: Double
  /// Decay time of the strike in seconds.
  let ringDecay: Double
  /// The fraction of the stride that a foot spends on the ground, for a gait with a flight phase;
  /// `nil` if one foot is always on the ground.
  let stance: Double?

  /// 54 strides per minute, 5 km/h.
  public static let walking = Gait(
    strideRate: 0.9, speed: 1.4,
    bumps: [
      Bump(height: -180, centre: 0.58, width: 0.05),
      Bump(height: 400, centre: 0.78, width: 0.07),
      Bump(height: -120, centre: 0.985, width: 0.03),
    ],
    // The strike rings at about 14 Hz and decays within a tenth of a second.
    strike: SIMD3(3.4, -1.2, 0.8), ringFrequency: 14, ringDecay: 0.03, stance: nil)

  /// 84 strides per minute, 11 km/h, with both feet in the air between steps.
  public static let running = Gait(
    strideRate: 1.4, speed: 3.1,
    bumps: [
      Bump(height: -450, centre: 0.42, width: 0.08),
      Bump(height: 620, centre: 0.72, width: 0.08),
      Bump(height: -260, centre: 0.965, width: 0.035),
    ],
    strike: SIMD3(15, -5, 3), ringFrequency: 18, ringDecay: 0.02, stance: 0.36)

  /// Returns the ground's support at a phase of the stride, as a multiple of the body's weight. The
  /// average over a stride is 1.
  func support(atPhase phase: Double) -> Double {
    guard let stance else { return 1 }
    // While a foot is on the ground, its push follows half a sine wave. The other foot does the
    // same half a stride later.
    let step = phase.truncatingRemainder(dividingBy: 0.5)
    guard step < stance else { return 0 }
    return Double.pi / (4 * stance) * sin(Double.pi * step / stance)
  }

  /// Returns the strike's force in g, this many seconds after the impact.
  func strike(after seconds: Double) -> SIMD3<Double> {
    strike * (exp(-seconds / ringDecay) * sin(2 * Double.pi * ringFrequency * seconds))
  }
}
