import Foundation
import Simulation
import TestSupport
import Testing

@Suite(.computation) struct WalkRouteTests {
  let route = WalkRoute()

  /// Returns earth-centred coordinates of a point by the textbook formula, independently of the
  /// route's code.
  private func cartesian(_ point: WalkRoute.Point) -> SIMD3<Double> {
    let a = 6_378_137.0
    let flattening = 1 / 298.257_223_563
    let e2 = flattening * (2 - flattening)
    let (phi, lambda) = (point.latitude * .pi / 180, point.longitude * .pi / 180)
    let height = point.altitudeMSL + WalkRoute.geoidSeparation
    let n = a / (1 - e2 * sin(phi) * sin(phi)).squareRoot()
    return SIMD3(
      (n + height) * cos(phi) * cos(lambda), (n + height) * cos(phi) * sin(lambda),
      (n * (1 - e2) + height) * sin(phi))
  }

  private func distance(_ left: WalkRoute.Point, _ right: WalkRoute.Point) -> Double {
    let difference = cartesian(left) - cartesian(right)
    return (difference * difference).sum().squareRoot()
  }

  @Test func `the walk returns to its start`() {
    let round = WalkRoute.length / WalkRoute.speed
    #expect(distance(route.position(at: 0), route.position(at: round)) < 0.001)
    #expect(distance(route.position(at: 100), route.position(at: 100 + 7 * round)) < 0.001)
    #expect(distance(route.position(at: -100), route.position(at: round - 100)) < 0.001)
  }

  @Test func `one lap covers a horizontal distance of 1,200 metres, within a few centimetres`() {
    let steps = 4_000
    let round = WalkRoute.length / WalkRoute.speed
    var length = 0.0
    for step in 0..<steps {
      let here = route.position(at: round * Double(step) / Double(steps))
      let next = route.position(at: round * Double(step + 1) / Double(steps))
      let climb = next.altitudeMSL - here.altitudeMSL
      let slope = distance(here, next)
      length += (slope * slope - climb * climb).squareRoot()
    }
    // The lengths are exact at the mean height. A height difference of 15 m changes them by two
    // parts in a million.
    #expect(abs(length - WalkRoute.length) < 0.05)
  }

  @Test func `the walker's position, height and direction never jump`() {
    for second in 0..<860 {
      let here = route.position(at: Double(second))
      let next = route.position(at: Double(second) + 1)
      let step = distance(here, next)
      #expect(step > 1.3 && step < 1.5, "second \(second)")
      let climb = abs(next.altitudeMSL - here.altitudeMSL)
      #expect(climb < 0.2, "second \(second)")
      let turn = abs((next.track - here.track + 540).truncatingRemainder(dividingBy: 360) - 180)
      #expect(turn < 4, "second \(second)")
      #expect(here.speed == WalkRoute.speed)
    }
  }

  @Test func `the hills' heights differ by more than 20 and at most 30 metres`() {
    let heights = (0..<858).map { route.position(at: Double($0)).altitudeMSL }
    let (low, high) = (heights.min() ?? 0, heights.max() ?? 0)
    #expect(high - low > 20 && high - low <= 30)
  }

  @Test func `the track angle is the direction of the next step`() {
    for second in stride(from: 0.0, to: 858, by: 13) {
      let here = route.position(at: second)
      let next = route.position(at: second + 0.1)
      let north = (next.latitude - here.latitude) * 111_300
      let east = (next.longitude - here.longitude) * 111_300 * cos(here.latitude * .pi / 180)
      let direction = atan2(east, north) * 180 / .pi
      let off = abs((direction - here.track + 900).truncatingRemainder(dividingBy: 360) - 180)
      #expect(off < 2, "second \(second)")
    }
  }
}
