import Glibc

/// A wearer who walks or runs with a board above each ankle: x points up along the shank, y forward
/// and z to the side.
///
/// The shank swings below the knee like a pendulum, and its angle repeats with every stride. The
/// heel's impact is added. The angular velocity is the derivative of the shank's angle, and the
/// direction of gravity follows that angle. The two sensors are therefore consistent, as on a real
/// leg.
public struct GaitWearer: Wearer {
  /// The leg at one phase of the stride.
  private struct Pose {
    /// The shank's inclination in radians.
    var angle: Double
    /// The derivative of the angle in degrees per second.
    var rate: Double
    /// The second derivative of the angle in radians per second squared.
    var acceleration: Double
  }

  public let gait: Gait

  private static let steps = 400
  /// Metres from the centre of rotation to the sensor.
  private static let radius = 0.2
  private static let standardGravity = 9.80665

  private let poses: [Pose]
  private let seed: UInt64
  private let phaseOffset: Double
  /// 1 for the left leg and -1 for the right leg, which moves like a mirror image of the left.
  private let side: Double
  private let swayPhases: SIMD2<Double>
  private let mounting: (cosine: Double, sine: Double)
  /// The mean over a stride of all forces except gravity. This mean is subtracted from each force,
  /// because a wearer's mean acceleration is zero.
  private var meanForce = SIMD3<Double>.zero

  /// Creates a walk or a run that depends only on the seed. Boards with even numbers are on the
  /// left leg; those with odd numbers are on the right leg, half a stride later.
  public init(seed: UInt64, board: Int = 0, gait: Gait = .walking) {
    self.seed = seed
    self.gait = gait
    poses = Self.stride(gait)
    // The seed determines the person, whose legs share a rhythm. Each board's strap is mounted at a
    // slightly different angle.
    var person = SensorNoise(seed: seed)
    swayPhases = SIMD2(person.uniform(), person.uniform())
    var strap = SensorNoise(seed: seed &+ UInt64(truncatingIfNeeded: board + 1) << 32)
    phaseOffset = board.isMultiple(of: 2) ? 0 : 0.5
    side = board.isMultiple(of: 2) ? 1 : -1
    let mountingAngle = (strap.uniform() - 0.5) * 0.3
    mounting = (cos(mountingAngle), sin(mountingAngle))
    for step in 0..<Self.steps {
      meanForce += force(atPhase: Double(step) / Double(Self.steps), impact: 1)
    }
    meanForce /= Double(Self.steps)
  }

  /// Returns the sum of gravity in the leaning shank's axes, the pendulum's own acceleration, and
  /// the heel's impact.
  public func acceleration(at time: Double) -> SIMD3<Double> {
    let (stride, phase) = stridePhase(at: time)
    let gravity = Self.up(pose(atPhase: phase).angle)
    let impact = strideImpact(stride)
    return mounted(gravity + force(atPhase: phase, impact: impact) - meanForce)
  }

  /// Returns the shank's swing about z, with the foot's slight roll and rotation.
  public func angularVelocity(at time: Double) -> SIMD3<Double> {
    let (_, phase) = stridePhase(at: time)
    let turn = 2 * Double.pi * phase
    return mounted(
      SIMD3(side * 25 * sin(turn + 0.4), side * 35 * sin(turn + 1.9), pose(atPhase: phase).rate))
  }

  /// Returns the board's orientation while the wearer walks north: the shank's lean, combined with
  /// the strap's rotation about the shank.
  public func orientation(at time: Double) -> Orientation {
    let angle = pose(atPhase: stridePhase(at: time).phase).angle
    // An upright shank has its x axis pointing up, y to the north and z to the west.
    let upright = Orientation(degrees: -90, about: SIMD3(0, 1, 0))
    let lean = Orientation(degrees: angle * 180 / Double.pi, about: SIMD3(0, 0, 1))
    let strap = Orientation(real: 1 + mounting.cosine, imaginary: SIMD3(mounting.sine, 0, 0))
    return upright * lean * strap
  }

  /// Returns the stride's number and the elapsed fraction of the stride, which starts at heel
  /// strike.
  private func stridePhase(at time: Double) -> (stride: Int, phase: Double) {
    // Nobody walks with a perfect rhythm: it varies by about one percent over ten to thirty
    // seconds.
    let sway =
      0.020 * sin(2 * Double.pi * (0.071 * time + swayPhases.x))
      + 0.025 * sin(2 * Double.pi * (0.033 * time + swayPhases.y))
    let total = gait.strideRate * time + phaseOffset + sway
    let whole = total.rounded(.down)
    return (Int(whole), total - whole)
  }

  /// Returns the relative strength of this stride's heel strike, between 0.85 and 1.15.
  private func strideImpact(_ stride: Int) -> Double {
    var noise = SensorNoise(seed: seed ^ UInt64(bitPattern: Int64(stride)))
    return 0.85 + 0.3 * noise.uniform()
  }

  /// Returns the force on the sensor, excluding gravity, in g.
  private func force(atPhase phase: Double, impact: Double) -> SIMD3<Double> {
    let pose = pose(atPhase: phase)
    let rate = pose.rate * Double.pi / 180
    let swing = SIMD3(rate * rate, -pose.acceleration, 0) * (Self.radius / Self.standardGravity)
    // The ground bears no weight during flight, and correspondingly more weight between flights.
    let lift = Self.up(pose.angle) * (gait.support(atPhase: phase) - 1)
    return swing + lift + gait.strike(after: phase / gait.strideRate) * impact
  }

  /// Returns the upward direction in the axes of a shank that leans forward by an angle. This
  /// direction has a backward component.
  private static func up(_ angle: Double) -> SIMD3<Double> {
    SIMD3(cos(angle), -sin(angle), 0)
  }

  private func pose(atPhase phase: Double) -> Pose {
    let position = phase * Double(Self.steps)
    let index = Int(position) % Self.steps
    let part = position - position.rounded(.down)
    let left = poses[index]
    let right = poses[(index + 1) % Self.steps]
    return Pose(
      angle: left.angle + part * (right.angle - left.angle),
      rate: left.rate + part * (right.rate - left.rate),
      acceleration: left.acceleration + part * (right.acceleration - left.acceleration))
  }

  /// Rotates a vector about the shank by the strap's mounting angle.
  private func mounted(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(
      vector.x, vector.y * mounting.cosine + vector.z * mounting.sine,
      vector.z * mounting.cosine - vector.y * mounting.sine)
  }

  /// Computes one stride from heel strike to heel strike: push-off, the forward swing, its
  /// deceleration, and a slow lean over the standing foot.
  private static func stride(_ gait: Gait) -> [Pose] {
    var rates = [Double](repeating: 0, count: steps)
    for step in rates.indices {
      let phase = Double(step) / Double(steps)
      for bump in gait.bumps { rates[step] += bump.rate(atPhase: phase) }
    }
    // A leg returns to its starting angle, so the rates of a stride must add up to zero.
    let drift = rates.reduce(0, +) / Double(steps)
    for step in rates.indices { rates[step] -= drift }

    let interval = 1 / (gait.strideRate * Double(steps))
    let radians = Double.pi / 180
    var angle = 0.0
    var poses: [Pose] = []
    for step in rates.indices {
      let before = rates[(step + steps - 1) % steps]
      let after = rates[(step + 1) % steps]
      poses.append(
        Pose(
          angle: angle, rate: rates[step],
          acceleration: (after - before) / (2 * interval) * radians))
      angle += (rates[step] + after) / 2 * radians * interval
    }
    let meanAngle = poses.reduce(0) { $0 + $1.angle } / Double(steps)
    for step in poses.indices { poses[step].angle -= meanAngle }
    return poses
  }
}
