import Recording
import TestSupport
import Testing

@Suite(.computation) struct WearTests {
  @Test(arguments: [
    ("left ankle", Wear.leg), ("", .leg), ("shank", .leg), ("Lower back", .trunk),
    ("chest-strap", .trunk), ("hip (right)", .trunk), ("hippo", .leg),
  ])
  func `a board's placement determines whether it measures each step`(placement: String, wear: Wear)
  {
    #expect(Wear(placement: placement) == wear)
  }
}
