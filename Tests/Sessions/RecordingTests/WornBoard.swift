import Foundation
import TestSupport

/// Accelerations, in g, of a board worn by a person, with a known number of steps.
struct WornBoard {
  /// The placement of the board on the body.
  enum Place: CaseIterable {
    /// The board moves up and down with each step, and sways towards the side of the foot on the
    /// ground.
    case back
    /// The board swings with the arm once per stride, and registers each step.
    case wrist
    /// The board swings with the leg once per stride. It registers this leg's steps more strongly
    /// than the other leg's.
    case thigh
    /// The board moves up and down with each step, and dangles slowly and irregularly.
    case bag
  }

  /// A repetitive exercise without steps.
  enum Exercise: CaseIterable {
    /// The barbell moves up and down once per repetition.
    case press
    /// The barbell is pulled up and lowered in two similar movements.
    case row
  }

  let rate: Double
  private(set) var samples: [SIMD3<Double>] = []
  /// The number of steps so far.
  private(set) var steps = 0.0
  private var random: SeededGenerator
  /// The up, forward and sideways directions in the board's coordinates.
  private let axes: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)
  private var phase = 0.0
  private var dangle = SIMD2<Double>.zero

  /// Creates a board that is strapped on at a random angle.
  init(seed: UInt64, rate: Double) {
    self.rate = rate
    random = SeededGenerator(seed: seed)
    let (turn, tilt) = (2 * Double.pi * random.unit(), Double.pi * random.unit())
    let up = SIMD3(sin(tilt) * cos(turn), sin(tilt) * sin(turn), cos(tilt))
    let forward = SIMD3(-sin(turn), cos(turn), 0)
    let side = SIMD3(-cos(tilt) * cos(turn), -cos(tilt) * sin(turn), sin(tilt))
    axes = (up, forward, side)
  }

  mutating func stand(_ seconds: Double) {
    for _ in 0..<Int(seconds * rate) { append(SIMD3(1, 0, 0), noise: 0.008) }
  }

  /// Adds a walk whose strides vary by a few percent. During the walk, the wearer bends
  /// forwards by `lean` radians and straightens up again, four times.
  mutating func walk(_ seconds: Double, at place: Place, cadence: Double = 105, lean: Double = 0) {
    var pace = 1.0
    let count = Int(seconds * rate)
    for number in 0..<count {
      let advance = pace * cadence / 120 / rate
      phase += advance
      steps += 2 * advance
      if phase >= 1 {
        phase -= 1
        pace = 1 + 0.02 * random.gaussian()
      }
      for axis in 0..<2 { dangle[axis] += 0.02 * random.gaussian() / rate.squareRoot() * 10 / 3 }
      dangle *= 1 - 1 / rate
      let angle = lean * (1 - cos(2 * Double.pi * 4 * Double(number) / Double(count))) / 2
      let value = Self.value(atPhase: phase, place, dangle)
      append(
        SIMD3(
          value.x * cos(angle) - value.y * sin(angle), value.x * sin(angle) + value.y * cos(angle),
          value.z), noise: 0.02)
    }
  }

  /// Adds repetitions of an exercise.
  mutating func lift(_ seconds: Double, _ exercise: Exercise, repetition: Double) {
    for number in 0..<Int(seconds * rate) {
      let turn = 2 * Double.pi * Double(number) / rate / repetition
      let pull = exercise == .row ? 0.2 * sin(2 * turn + 0.5) : 0
      append(SIMD3(1 + 0.25 * sin(turn) + pull, 0.1 * sin(turn + 1), 0), noise: 0.02)
    }
  }

  /// Appends a sample with its up, forward and sideways components.
  private mutating func append(_ value: SIMD3<Double>, noise: Double) {
    let shake = SIMD3(random.gaussian(), random.gaussian(), random.gaussian()) * noise
    samples.append(axes.0 * value.x + axes.1 * value.y + axes.2 * value.z + shake)
  }

  /// Returns the acceleration up, forward and sideways at a phase of the stride.
  private static func value(
    atPhase phase: Double, _ place: Place, _ dangle: SIMD2<Double>
  ) -> SIMD3<Double> {
    let stride = 2 * Double.pi * phase
    switch place {
    case .back:
      return SIMD3(
        1 + 0.2 * sin(2 * stride) + 0.1 * sin(4 * stride + 1) + 0.05 * sin(6 * stride),
        0.1 * sin(2 * stride + 0.8),
        0.08 * sin(stride))
    case .wrist:
      let angle = 0.35 * sin(stride)
      return SIMD3(
        cos(angle) + 0.12 * sin(2 * stride + 0.7) + 0.05 * sin(4 * stride),
        sin(angle) + 0.15 * sin(stride + 0.3), 0.04 * sin(2 * stride))
    case .thigh:
      let angle = 0.4 * sin(stride)
      // The strike of this leg's foot, and a weaker strike of the other foot.
      let later = (phase + 0.5).truncatingRemainder(dividingBy: 1)
      let strikes = 0.6 * exp(-phase / 0.05) + 0.25 * exp(-later / 0.05)
      return SIMD3(
        cos(angle) + 0.15 * sin(stride + 0.5) + 0.12 * sin(2 * stride) + strikes,
        sin(angle) + 0.2 * sin(2 * stride + 1), 0.05 * sin(stride))
    case .bag:
      return SIMD3(
        1 + 0.18 * sin(2 * stride) + 0.08 * sin(4 * stride + 1) + 0.04 * sin(6 * stride),
        0.08 * sin(2 * stride + 0.5) + dangle.x, 0.06 * sin(stride + 0.3) + dangle.y)
    }
  }
}
