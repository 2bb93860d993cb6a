import Foundation
import NMEA
import Recording
import Simulation
import Values

/// A walk with known true values, in the form of session data.
struct Walk {
  var seed: UInt64
  var seconds: Int
  var gait = Gait.walking
  /// Ground speed in metres per second; 0 for a board on a table.
  var speed = WalkRoute.speed
  static let start = BootTime(nanoseconds: 5_000_000_000)
  static let board = BoardAddress(value: 0xc8_4b_aa_97_50_05)

  var route: WalkRoute { WalkRoute(speed: speed) }

  /// One fix per second, as the reader parses it from the simulated receiver's sentences.
  var fixes: [Fix] {
    var receiver = SimulatedReceiver(route: route, seed: seed)
    var reader = NMEAReader()
    let begin = UTCTime(year: 2026, month: 5, day: 4, nanosecondOfDay: 32_400_000_000_000)
    var fixes: [Fix] = []
    func take(_ report: PositionReport) { if case .fix(let fix) = report { fixes.append(fix) } }
    for second in 0...seconds {
      let burst = receiver.burst(
        at: UTCTime(nanoseconds: begin.nanoseconds + Int64(second) * 1_000_000_000))
      let arrival = Self.start.advanced(bySeconds: Double(second) + 0.12)
      reader.receive(burst.span, at: arrival, report: take)
    }
    reader.flush(report: take)
    return fixes
  }

  /// Feeds acceleration as a board on the wearer would send it.
  func take(
    acceleration rate: Double, board: Int, losing lost: Set<UInt32> = [],
    _ body: (SIMD3<Double>, UInt32) -> Void
  ) {
    let wearer: any Wearer =
      speed > 0 ? GaitWearer(seed: seed, board: board, gait: gait) : StillWearer()
    for number in 0..<UInt32(Double(seconds) * rate) where !lost.contains(number) {
      body(wearer.acceleration(at: Double(number) / rate), number)
    }
  }

  /// The number of steps taken with both feet, with an error of at most one step.
  var steps: Double { speed > 0 ? 2 * gait.strideRate * Double(seconds) : 0 }

  var metres: Double { speed * Double(seconds) }

  /// The metres climbed during the walk.
  var gain: Double {
    let route = route
    let altitudes = (0...seconds).map { route.position(at: Double($0)).altitudeMSL }
    return zip(altitudes, altitudes.dropFirst()).reduce(0) { $0 + max(0, $1.1 - $1.0) }
  }

  /// Returns the pressure in pascals at a time, in the standard atmosphere.
  func pascals(at seconds: Double, _ route: WalkRoute) -> Double {
    Surroundings.pascals(atMetres: route.position(at: seconds).altitudeMSL)
  }
}
