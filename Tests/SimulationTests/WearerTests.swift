import TestSupport
import Testing

@testable import Simulation

@Suite(.computation) struct WearerTests {
  /// Samples a wearer's motion for one minute at 200 Hz.
  func minute<Value>(_ value: (Double) -> Value) -> [Value] {
    (0..<12_000).map { value(Double($0) / 200) }
  }

  func length(_ vector: SIMD3<Double>) -> Double {
    (vector * vector).sum().squareRoot()
  }

  @Test(arguments: [1, 42, 99_999] as [UInt64])
  func `while walking, the accelerometer measures gravity plus one heel strike per stride`(
    _ seed: UInt64
  ) throws {
    let wearer = GaitWearer(seed: seed)
    let forces = minute(wearer.acceleration)
    let mean = forces.reduce(SIMD3<Double>.zero, +) / Double(forces.count)
    #expect((0.85...1.05).contains(length(mean)), "\(length(mean)) g")
    let strongest = try #require(forces.map(length).max())
    #expect((2...4.5).contains(strongest), "\(strongest) g")
    // There are 54 strides per minute. Each has one peak above 2 g, which lasts at most a fifth of
    // the stride.
    let isStrong = forces.map { length($0) > 2 }
    var strikes = 0
    var last = -1_000
    for (index, strong) in isStrong.enumerated() where strong {
      if index - last > 100 { strikes += 1 }
      last = index
    }
    #expect((51...57).contains(strikes), "\(strikes) strides")
  }

  @Test(arguments: [1, 42, 99_999] as [UInt64])
  func `the shank swings forwards and back at several hundred degrees per second`(
    _ seed: UInt64
  ) throws {
    let wearer = GaitWearer(seed: seed)
    let rates = minute(wearer.angularVelocity)
    let strongest = try #require(rates.map(length).max())
    #expect((300...400).contains(strongest), "\(strongest) deg/s")
    let mean = rates.reduce(SIMD3<Double>.zero, +) / Double(rates.count)
    #expect(length(mean) < 3)
    // The angle stays within a range, and does not accumulate over the minute.
    var angle = 0.0
    var angles: [Double] = []
    for rate in rates {
      angle += rate.z / 200
      angles.append(angle)
    }
    let lowest = try #require(angles.min())
    let highest = try #require(angles.max())
    #expect((40...110).contains(highest - lowest), "\(highest - lowest) degrees")
  }

  @Test
  func `the same seed produces the same motion, and another seed produces a different motion`() {
    let first = minute(GaitWearer(seed: 5, board: 1).acceleration)
    #expect(first == minute(GaitWearer(seed: 5, board: 1).acceleration))
    #expect(first != minute(GaitWearer(seed: 6, board: 1).acceleration))
    #expect(first != minute(GaitWearer(seed: 5, board: 0).acceleration))
  }

  @Test func `the right foot strikes half a stride after the left foot`() throws {
    let left = GaitWearer(seed: 5, board: 0)
    let right = GaitWearer(seed: 5, board: 1)
    let half = 0.5 / left.gait.strideRate
    // The rhythm varies little from step to step.
    for time in stride(from: 10.0, to: 20, by: 0.37) {
      let (one, other) = (
        left.angularVelocity(at: time), right.angularVelocity(at: time + half)
      )
      // The legs are mirror images: they swing in the same way, but rotate in opposite directions.
      #expect(abs(one.x + other.x) < 15)
    }
  }

  @Test func `a wearer's motion has no jumps`() {
    let wearer = GaitWearer(seed: 5)
    let forces = (0..<20_000).map { wearer.acceleration(at: Double($0) / 2_000) }
    for (before, after) in zip(forces, forces.dropFirst()) {
      #expect(length(after - before) < 0.3)
    }
  }

  @Test func `a board that is not worn measures only gravity`() {
    #expect(StillWearer().acceleration(at: 12) == SIMD3(0, 0, 1))
    #expect(StillWearer().angularVelocity(at: 12) == .zero)
  }

  @Test func `a leg's orientation is consistent with gravity and the gyroscope`() {
    let wearer = GaitWearer(seed: 5, board: 1)
    let times = stride(from: 0.0, to: 30, by: 1 / 512)
    // Along each of the board's axes, the acceleration without gravity averages to zero.
    var mean = SIMD3<Double>.zero
    for time in times {
      let up = wearer.orientation(at: time).inverse(SIMD3(0, 0, 1))
      #expect(abs(length(up) - 1) < 1e-9)
      mean += (wearer.acceleration(at: time) - up) / (30 * 512)
    }
    #expect(length(mean) < 0.03, "\(mean)")

    // The shank rotates about the sideways axis, and the strap may be rotated around the shank by
    // any angle.
    for time in stride(from: 1.0, to: 5, by: 0.09) {
      let step = 1e-4
      let before = wearer.orientation(at: time)
      let after = wearer.orientation(at: time + step)
      let turned = 2 * (before.inverse * after).imaginary / step * 180 / Double.pi
      let felt = wearer.angularVelocity(at: time)
      #expect(length(turned - felt) < 60, "\(time): \(turned) and \(felt)")
    }
  }
}
