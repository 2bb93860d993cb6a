import Gateway
import Recording
import TestSupport
import Testing

@testable import CommandLineTool
@testable import Terminal

@Suite(.computation) struct HazardRequestTests {
  @Test(arguments: [
    ("Slippery=2", "Slippery", 2), ("slip=0", "Slippery", 0), ("SLO=3", "Slope", 3),
    ("poor=1", "Poor Lighting", 1), ("change in  floor=1", "Change in Floor Levels", 1),
    ("uneven surface=1", "Uneven Surface", 1), ("d=1", "Debris or Obstacles", 1),
    ("Low branch=1", "Low branch", 1), (" ice =2", "ice", 2), ("a=b=1", "a=b", 1),
  ])
  func `a hazard is given as a name with an intensity, and built-in names may be abbreviated`(
    text: String, name: String, intensity: Int
  ) {
    let hazard = HazardRequest(text)
    #expect(hazard?.name == name)
    #expect(hazard?.intensity == intensity)
  }

  @Test(arguments: [
    "", "Slippery", "Slippery=", "=1", " =1", "Slippery=4", "Slippery=-1", "Slippery=1.5",
    "Slippery=x", "S=1", "sl=2", "two\nlines=1", String(repeating: "x", count: 61) + "=1",
  ])
  func `a hazard with an invalid or ambiguous name, or without a valid intensity, is rejected`(
    _ text: String
  ) {
    #expect(HazardRequest(text) == nil)
  }

  @Test
  func `an abbreviation that matches two built-in names is rejected, and the error lists both`()
    async
  {
    #expect(
      await Outcome.of("hazard", "last", "S=1")
        == .misunderstood(
          """
          error: 'S=1' could mean Slippery or Slope
                 write a name and an intensity from 0 to 3, as in Slippery=2
                 usual names are Change in Floor Levels, Uneven Surface, Debris or
                 Obstacles, Slippery, Slope, Poor Lighting; the beginning of one is enough
                 if it is unique, and other names are allowed
                 try 'footbridge hazard --help'
          """))
  }
}
