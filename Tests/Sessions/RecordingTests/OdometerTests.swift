@testable import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct OdometerTests {
  /// Returns a fix at this second, this many metres to the north of a fixed location.
  private func fix(
    _ metres: Double, at second: Double, speed: Double? = nil, followsLoss: Bool = false,
    error: Double? = nil
  ) -> Fix {
    Fix(
      arrival: BootTime(nanoseconds: Int64(second * 1e9)), utc: UTCTime(nanoseconds: 0),
      latitude: 53 + metres / 111_194.93, longitude: 10, speed: speed,
      error: error.map { .init(horizontal: $0, basis: .reported) }, followsLoss: followsLoss)
  }

  private func odometer(_ fixes: [Fix]) -> Odometer {
    var odometer = Odometer()
    for fix in fixes { odometer.add(fix) }
    return odometer
  }

  @Test func `a degree of latitude along a meridian has the correct length`() {
    let metres = Earth.metres(from: fix(0, at: 0), to: fix(111_194.93, at: 1))
    #expect(abs(metres - 111_194.93) < 1)
  }

  @Test func `without measured speeds, the distance is the sum of the distances between fixes`() {
    let walk = odometer((0...200).map { fix(1.4 * Double($0), at: Double($0)) })
    #expect(abs(walk.metres - 280) < 6)
    #expect(walk.isMoving)
    let fastest = walk.highestSpeed
    #expect(fastest.map { abs($0 - 1.4) < 0.2 } == true)
  }

  @Test
  func
    `a wearer who stops is considered to be at rest after a while, even without measured speeds`()
  {
    let fixes = (0...60).map { fix(min(1.4 * Double($0), 42), at: Double($0)) }
    let walk = odometer(fixes)
    #expect(!walk.isMoving)
    #expect(abs(walk.metres - 42) < 6)
  }

  @Test func `a change of position within the position error is not counted as movement`() {
    let wander = odometer(
      (0...100).map { fix($0.isMultiple(of: 2) ? 0 : 14, at: Double($0), error: 20) })
    #expect(wander.metres == 0)
  }

  @Test func `movement too slow for the measured speed is detected from the change in position`() {
    let creep = odometer((0...100).map { fix(0.3 * Double($0), at: Double($0), speed: 0.1) })
    #expect(creep.metres > 19)
    #expect(creep.metres <= 30.1)
  }

  @Test func `no distance is added across a lost fix or a long silence`() {
    let before = (0...20).map { fix(1.4 * Double($0), at: Double($0), speed: 1.4) }
    let lost = odometer(before + [fix(500, at: 21, speed: 1.4, followsLoss: true)])
    #expect(abs(lost.metres - 28) < 0.1)
    let silent = odometer(before + [fix(500, at: 60, speed: 1.4)])
    #expect(abs(silent.metres - 28) < 0.1)
  }

  @Test func `the speeds that a receiver at rest reports are not counted as movement`() {
    let rest = odometer((0...60).map { fix(0, at: Double($0), speed: 0.1 + 0.25 * Double($0 % 2)) })
    #expect(rest.metres == 0)
    #expect(rest.movingSeconds == 0)
  }
}
