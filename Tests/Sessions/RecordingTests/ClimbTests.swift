import TestSupport
import Testing

@testable import Recording

@Suite(.computation) struct ClimbTests {
  private func climb(_ altitudes: [Double], hysteresis: Double = 1) -> Climb {
    var climb = Climb(hysteresis: hysteresis)
    for altitude in altitudes { climb.add(altitude) }
    return climb
  }

  @Test func `rises and falls smaller than the hysteresis are ignored`() {
    let flat = climb([10, 10.8, 10.1, 10.9, 10, 10.6])
    #expect(flat.gain == 0)
    #expect(flat.loss == 0)
  }

  @Test func `a hill is counted as a climb from foot to top and a descent from top to foot`() {
    let hill = climb([10, 10.5, 12, 11.6, 15, 14.4, 11, 11.5, 9])
    #expect(hill.gain == 5)
    #expect(hill.loss == 6)
  }

  @Test func `a slow rise is counted even if each of its steps is small`() {
    let rise = climb((0...40).map { Double($0) * 0.1 })
    #expect(abs(rise.gain - 4) < 1e-9)
    #expect(rise.loss == 0)
  }

  @Test func `a rise that is still in progress is already counted`() {
    #expect(climb([0, 3]).gain == 3)
    #expect(climb([0, 3, 2.5]).gain == 3)
  }

  @Test func `a jump in altitude is not counted as climbing, and earlier climbing is kept`() {
    var climb = climb([0, 5])
    climb.jump()
    for altitude in [100.0, 102] { climb.add(altitude) }
    #expect(climb.gain == 7)
    #expect(climb.loss == 0)
  }
}
