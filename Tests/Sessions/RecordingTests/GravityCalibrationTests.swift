import Glibc
@testable import Recording
import TestSupport
import Testing

/// Calibration, bias and non-wear time, computed for simulated sensors with known errors.
@Suite(.computation) struct GravityCalibrationTests {
  private static let offset = SIMD3(0.03, -0.02, 0.05)
  private static let scale = SIMD3(1.02, 0.97, 1.01)

  /// Returns the reading of an accelerometer with these errors in this orientation.
  private static func reading(_ orientation: SIMD3<Double>) -> SIMD3<Double> {
    let length = (orientation * orientation).sum().squareRoot()
    return orientation / length / scale + offset
  }

  /// Simulates a sensor, sampled at 50 Hz, that rests for `seconds` in each orientation.
  private static func windows(
    _ orientations: [SIMD3<Double>], seconds: Int, noise: Double,
    _ random: inout SeededGenerator
  ) -> [StillWindows.Window] {
    var meter = StillWindows(rate: 50, limit: StillWindows.accelerationLimit)
    var found: [StillWindows.Window] = []
    var time: Int64 = 0
    for orientation in orientations {
      let reading = reading(orientation)
      for _ in 0..<(50 * seconds) {
        let error = SIMD3(random.gaussian(), random.gaussian(), random.gaussian()) * noise
        if let window = meter?.add(reading + error, at: time) { found.append(window) }
        time += 20_000_000
      }
    }
    return found
  }

  @Test func `offset and scale are computed from resting orientations`() throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    var random = SeededGenerator(seed: seed)
    // Opposite orientations: each axis must point both up and down.
    let orientations = (0..<12).flatMap { _ in
      let orientation = SIMD3(random.gaussian(), random.gaussian(), random.gaussian())
      return [orientation, -orientation]
    }
    var collected = GravityCalibration.Orientations()
    for window in Self.windows(orientations, seconds: 10, noise: 0.003, &random) {
      collected.add(window)
    }
    let found = try #require(collected.calibration, "seed \(seed)")
    for axis in 0..<3 {
      let offsetError = fabs(found.offset[axis] - Self.offset[axis])
      let scaleError = fabs(found.scale[axis] - Self.scale[axis])
      #expect(offsetError < 0.004 && offsetError < found.offsetError[axis], "seed \(seed)")
      #expect(scaleError < 0.004 && scaleError < found.scaleError[axis], "seed \(seed)")
    }
    #expect(found.deviationBefore > 0.01 && found.deviationAfter < 0.003, "seed \(seed)")
  }

  @Test func `too few orientations yield no calibration`() {
    var random = SeededGenerator(seed: 1)
    // A board on a table, and a board on an ankle that only bends forwards.
    let table = [SIMD3(0.0, 0, 1)]
    let ankle = (0..<20).map { SIMD3(sin(Double($0) / 10), 0, cos(Double($0) / 10)) }
    for orientations in [[], table, ankle] {
      var collected = GravityCalibration.Orientations()
      for window in Self.windows(orientations, seconds: 8, noise: 0.003, &random) {
        collected.add(window)
      }
      #expect(collected.calibration == nil)
      #expect(orientations.isEmpty == (collected.count == 0))
    }
  }

  @Test func `a moving board has no still window, and a gap ends a still window`() throws {
    var random = SeededGenerator(seed: 2)
    let moving = Self.windows([SIMD3(0, 0, 1)], seconds: 60, noise: 0.05, &random)
    #expect(moving.count == 29 && moving.allSatisfy { !$0.isStill })
    var meter = try #require(StillWindows(rate: 50, limit: StillWindows.accelerationLimit))
    var found = 0
    // Periods of 1.5 s with samples alternate with periods of 1.5 s without.
    for second in 0..<20 {
      for sample in 0..<75 {
        let time = Int64(second) * 3_000_000_000 + Int64(sample) * 20_000_000
        if meter.add(SIMD3(0, 0, 1), at: time) != nil { found += 1 }
      }
    }
    #expect(found == 0)
    #expect(StillWindows(rate: 1, limit: 1) == nil)
  }

  @Test func `a board that lies still for half an hour is considered not worn`() {
    func window(_ start: Int, isStill: Bool) -> StillWindows.Window {
      StillWindows.Window(
        start: Int64(start) * 1_000_000_000, end: Int64(start + 2) * 1_000_000_000,
        mean: SIMD3(0, 0, 1), deviation: isStill ? 0.002 : 0.2, isStill: isStill)
    }
    var meter = NotWornMeter()
    #expect(meter.seconds == nil)
    for start in stride(from: 0, to: 1_200, by: 2) { meter.add(window(start, isStill: true)) }
    #expect(meter.seconds == nil)
    for start in stride(from: 1_200, to: 2_400, by: 2) { meter.add(window(start, isStill: false)) }
    // A person who is sitting may keep still for twenty minutes.
    #expect(meter.seconds == 0)
    for start in stride(from: 2_400, to: 6_000, by: 2) { meter.add(window(start, isStill: true)) }
    #expect(meter.seconds == 3_600)
    // Nothing is known about the hour without samples.
    for start in stride(from: 9_600, to: 10_200, by: 2) { meter.add(window(start, isStill: true)) }
    #expect(meter.seconds == 3_600)
  }

  @Test func `the bias of a gyroscope is the mean of its still windows`() throws {
    var meter = GyroscopeBiasMeter()
    #expect(meter.bias == nil)
    for (mean, isStill) in [
      (SIMD3(0.5, -0.2, 0.1), true), (SIMD3(0.7, -0.4, 0.1), true), (SIMD3(90, 3, 1), false),
      (SIMD3(45, 0, 0), true),
    ] {
      meter.add(
        StillWindows.Window(start: 0, end: 2, mean: mean, deviation: 0.1, isStill: isStill))
    }
    let bias = try #require(meter.bias)
    #expect(meter.windows == 2)
    #expect(fabs(bias.x - 0.6) < 1e-9 && fabs(bias.y + 0.3) < 1e-9 && fabs(bias.z - 0.1) < 1e-9)
  }
}
