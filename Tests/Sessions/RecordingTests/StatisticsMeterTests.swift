import Foundation
import Recording
import Simulation
import TestSupport
import Testing
import Values

@Suite(.computation) struct StatisticsMeterTests {
  private let acceleration = StreamDescription(
    signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: 100, lossAccounting: .counted)

  @Test(arguments: [1, 7], [25.0, 50, 100])
  func `the steps of a walk are counted with an error of at most one percent`(
    seed: UInt64, rate: Double
  )
    throws
  {
    let walk = Walk(seed: seed, seconds: 240)
    for board in 0...1 {
      var meter = StatisticsMeter(start: Walk.start)
      var description = acceleration
      description.rate = rate
      let added = meter.add(description, of: Walk.board)
      let stream = try #require(added)
      walk.take(acceleration: rate, board: board) {
        meter.take($0, counter: $1, at: Walk.start, stream: stream)
      }
      let steps = try #require(meter.statistics().steps.first)
      #expect(abs(Double(steps.count) / walk.steps - 1) < 0.01)
      #expect(steps.source == .accelerometer)
      #expect(abs(try #require(steps.cadence) - 108) < 6)
    }
  }

  @Test func `a pause in the samples adds no steps, and lost packets remove none`() throws {
    let walk = Walk(seed: 5, seconds: 120)
    let pause = Set<UInt32>(4_000..<8_000)
    let scattered = Set((0..<120).map { UInt32($0 * 97) })
    for (lost, expected) in [(pause, 80.0), (scattered, 120)] {
      var meter = StatisticsMeter(start: Walk.start)
      let added = meter.add(acceleration, of: Walk.board)
      let stream = try #require(added)
      walk.take(acceleration: 100, board: 0, losing: lost) {
        meter.take($0, counter: $1, at: Walk.start, stream: stream)
      }
      let steps = try #require(meter.statistics().steps.first)
      #expect(abs(Double(steps.count) - 1.8 * expected) < 4)
    }
  }

  @Test(arguments: 1...5) func `no steps are counted for a board that is shaken at random`(
    seed: UInt64
  ) throws {
    var noise = SeededGenerator(seed: seed)
    var meter = StatisticsMeter(start: Walk.start)
    let added = meter.add(acceleration, of: Walk.board)
    let stream = try #require(added)
    // A ride with jolts at random times, each followed by a short vibration.
    var jolt = 0.0
    for number in 0..<UInt32(12_000) {
      jolt = noise.unit() < 0.01 ? 1.5 * noise.unit() : jolt * 0.9
      let value = SIMD3(0, 0, 1 + jolt + 0.02 * noise.gaussian())
      meter.take(value, counter: number, at: Walk.start, stream: stream)
    }
    #expect(try #require(meter.statistics().steps.first).count < 12)
  }

  @Test func `the board's step counter takes precedence over detected steps`() throws {
    let walk = Walk(seed: 5, seconds: 60)
    var meter = StatisticsMeter(start: Walk.start)
    let added = meter.add(acceleration, of: Walk.board)
    let counted = meter.add(
      StreamDescription(
        signal: "steps", unit: "steps", axes: ["value"], countsPerUnit: 1, rate: 1,
        lossAccounting: .estimated), of: Walk.board)
    let (stream, counter) = (try #require(added), try #require(counted))
    walk.take(acceleration: 100, board: 0) {
      meter.take($0, counter: $1, at: Walk.start, stream: stream)
    }
    // The counter had reached 65,500 at the start of the session. It then wrapped around, and later
    // restarted because of a reboot.
    for (number, steps) in [65_500, 65_530, 4, 40, 0, 7].enumerated() {
      meter.take(
        SIMD3(Double(steps), 0, 0), counter: UInt32(number), at: Walk.start, stream: counter)
    }
    let steps = try #require(meter.statistics().steps.first)
    #expect(meter.statistics().steps.count == 1)
    #expect(steps.source == .board)
    #expect(steps.count == 30 + 10 + 36 + 0 + 7)
    #expect(steps.cadence != nil)
  }

  @Test
  func `the statistics meter does not register a stream that contributes nothing to statistics`() {
    var meter = StatisticsMeter(start: Walk.start)
    var slow = acceleration
    slow.rate = 6.25
    let added = meter.add(slow, of: Walk.board)
    #expect(added == nil)
    var turn = acceleration
    (turn.signal, turn.unit) = ("angular_velocity", "deg/s")
    let turning = meter.add(turn, of: Walk.board)
    #expect(turning == nil)
    #expect(meter.statistics() == SessionStatistics())
  }

  @Test(arguments: [3, 12]) func `the steps of a runner are counted too`(seed: UInt64) throws {
    let run = Walk(seed: seed, seconds: 120, gait: .running, speed: Gait.running.speed)
    var meter = StatisticsMeter(start: Walk.start)
    let added = meter.add(acceleration, of: Walk.board)
    let stream = try #require(added)
    run.take(acceleration: 100, board: 0) {
      meter.take($0, counter: $1, at: Walk.start, stream: stream)
    }
    let steps = try #require(meter.statistics().steps.first)
    #expect(abs(Double(steps.count) / run.steps - 1) < 0.02)
  }

  @Test(arguments: [1, 99])
  func `the distance of a walk is measured correctly, and its altitudes come from satellites`(
    seed: UInt64
  ) throws {
    let walk = Walk(seed: seed, seconds: 1_000)
    var meter = StatisticsMeter(start: Walk.start)
    for fix in walk.fixes { meter.take(fix) }
    let statistics = meter.statistics()
    #expect(abs(try #require(statistics.distance) / walk.metres - 1) < 0.02)
    #expect(statistics.fixShare > 0.999)
    let altitude = try #require(statistics.altitude)
    #expect(altitude.source == .satellites)
  }

  @Test(arguments: [1, 99])
  func `a climb measured by a barometer has an error of at most five percent`(
    seed: UInt64
  ) throws {
    let walk = Walk(seed: seed, seconds: 1_000)
    let route = walk.route
    var noise = SeededGenerator(seed: seed)
    var meter = StatisticsMeter(start: Walk.start)
    let rate = 7.326
    let added = meter.add(
      StreamDescription(
        signal: "pressure", unit: "Pa", axes: ["value"], countsPerUnit: 256, rate: rate,
        lossAccounting: .estimated), of: Walk.board)
    let stream = try #require(added)
    for number in 0..<UInt32(Double(walk.seconds) * rate) {
      let time = Double(number) / rate
      meter.take(
        SIMD3(walk.pascals(at: time, route) + 3.3 * noise.gaussian(), 0, 0), counter: number,
        at: Walk.start.advanced(bySeconds: time), stream: stream)
    }
    for fix in walk.fixes { meter.take(fix) }
    let altitude = try #require(meter.statistics().altitude)
    #expect(altitude.source == .barometer)
    #expect(abs(altitude.gain / walk.gain - 1) < 0.05)
  }

  @Test(arguments: [1, 99]) func `a wearer at rest covers no distance`(
    seed: UInt64
  ) throws {
    let rest = Walk(seed: seed, seconds: 600, speed: 0)
    var noise = SeededGenerator(seed: seed)
    var meter = StatisticsMeter(start: Walk.start)
    let added = meter.add(acceleration, of: Walk.board)
    let stream = try #require(added)
    for fix in rest.fixes { meter.take(fix) }
    rest.take(acceleration: 100, board: 0) { value, number in
      let shake = SIMD3(noise.gaussian(), noise.gaussian(), noise.gaussian()) * 0.004
      meter.take(value + shake, counter: number, at: Walk.start, stream: stream)
    }
    let statistics = meter.statistics()
    #expect(try #require(statistics.distance) < 5)
    #expect(try #require(statistics.altitude).gain < 2)
    #expect(statistics.steps.first?.count == 0)
  }
}
