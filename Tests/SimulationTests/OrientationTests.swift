import TestSupport
import Testing

@testable import Simulation

@Suite(.computation) struct OrientationTests {
  static let east = SIMD3<Double>(1, 0, 0)
  static let north = SIMD3<Double>(0, 1, 0)
  static let up = SIMD3<Double>(0, 0, 1)

  func isNear(_ left: SIMD3<Double>, _ right: SIMD3<Double>) -> Bool {
    let difference = left - right
    return (difference * difference).sum() < 1e-20
  }

  @Test func `a quarter turn to the left rotates east to north`() {
    let turn = Orientation(degrees: 90, about: Self.up)
    #expect(isNear(turn(Self.east), Self.north))
    #expect(isNear(turn(Self.north), -Self.east))
    #expect(isNear(turn.inverse(Self.north), Self.east))
  }

  @Test func `a product of turns is applied from right to left`() {
    let tip = Orientation(degrees: 90, about: Self.east)
    let turn = Orientation(degrees: 90, about: Self.up)
    #expect(isNear((turn * tip)(Self.north), turn(tip(Self.north))))
    #expect(isNear((turn * tip)(Self.north), Self.up))
    #expect(isNear((tip * turn)(Self.north), -Self.east))
  }

  @Test(arguments: [(0.0, 0.0), (90, 270), (-90, 90), (10, 350), (180, 180)])
  func `the heading increases clockwise from north`(turn: Double, heading: Double) {
    let found = Orientation(degrees: turn, about: Self.up).heading
    #expect(abs(found - heading) < 1e-9, "\(found)")
  }

  @Test func `an orientation's quaternion need not have unit length`() {
    let turn = Orientation(real: 3, imaginary: SIMD3(0, 0, 3))
    #expect(isNear(turn(Self.east), Self.north))
  }
}
