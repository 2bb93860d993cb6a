import Recording
import TestSupport
import Testing

@Suite(.computation) struct WearTests {
  @Test(arguments: [
    ("left ankle", Wear.leg), ("", .leg), ("shank", .leg), ("Lower back", .trunk),
    ("chest-strap", .trunk), ("hip (right)", .trunk), ("hippo", .leg),
  ])
  func `a placement decides whether each step is measured`(placement: String, wear: Wear) {
    #expect(Wear(placement: placement) == wear)
  }
}
