import Foundation
import Simulation
import TestSupport
import Values

/// Magnitudes of acceleration in g during rests, walks and rides.
struct Movement {
  /// The placement of the board on the wearer's body.
  enum Place: CaseIterable {
    /// The board moves up and down with each step.
    case waist
    /// The board swings with each stride, strikes the ground, and stands still in between.
    case ankle
    /// The board swings with each stride, and registers each step slightly.
    case wrist
  }

  let rate: Double
  private(set) var samples: [Double] = []
  private var random: SeededGenerator

  init(seed: UInt64, rate: Double) {
    self.rate = rate
    random = SeededGenerator(seed: seed)
  }

  /// Adds a rest of a few seconds, with sensor noise.
  mutating func rest(_ seconds: Double) {
    for _ in 0..<Int(seconds * rate) { samples.append(1 + noise(0.008)) }
  }

  /// Adds a walk whose strides vary by a few percent in duration and strength.
  mutating func walk(
    _ seconds: Double, at place: Place, cadence: Double = 105, strength: Double = 1
  ) {
    var phase = 0.0
    var pace = 1.0
    var force = strength
    for _ in 0..<Int(seconds * rate) {
      phase += pace * cadence / 120 / rate
      if phase >= 1 {
        phase -= 1
        pace = 1 + 0.03 * random.gaussian()
        force = strength * (1 + 0.1 * random.gaussian())
      }
      samples.append(1 + force * Self.value(atPhase: phase, place) + noise(0.02))
    }
  }

  /// Adds jolts at random times, each followed by a short vibration.
  mutating func ride(_ seconds: Double) {
    var jolt = 0.0
    for _ in 0..<Int(seconds * rate) {
      jolt = random.unit() < 1 / rate ? 1.5 * random.unit() : jolt * exp(-10.5 / rate)
      samples.append(1 + jolt + noise(0.02))
    }
  }

  private mutating func noise(_ deviation: Double) -> Double { deviation * random.gaussian() }

  /// Returns the acceleration without gravity at a phase of the stride, in g.
  private static func value(atPhase phase: Double, _ place: Place) -> Double {
    let stride = 2 * Double.pi * phase
    switch place {
    case .waist: return 0.22 * sin(2 * stride) + 0.08 * sin(4 * stride + 1) + 0.02 * sin(stride)
    case .ankle:
      // The swing takes two fifths of the stride and ends with a heel strike.
      guard phase < 0.45 else { return 0.03 * sin(stride) }
      let swing = 0.6 * sin(Double.pi * phase / 0.4) * (phase < 0.4 ? 1 : 0)
      return swing + (phase > 0.4 ? 1.2 * exp(-(phase - 0.4) / 0.015) : 0)
    case .wrist: return 0.15 * sin(stride) + 0.1 * sin(2 * stride + 0.7)
    }
  }
}
