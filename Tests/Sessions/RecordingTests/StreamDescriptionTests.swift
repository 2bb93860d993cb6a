import Recording
import TestSupport
import Testing

/// The content of a stream's description, and the rule for when two descriptions match.
@Suite(.computation) struct StreamDescriptionTests {
  private var acceleration: StreamDescription {
    StreamDescription(
      signal: "acceleration", unit: "g", countsPerUnit: 2_048, range: 16, rate: 100,
      lossAccounting: .counted)
  }

  @Test
  func `a range with several axes is symmetric, and a range with one axis starts at zero`() {
    var described = acceleration
    #expect(described.rangeText == "±16 g")
    described.range = 0.5
    #expect(described.rangeText == "±0.5 g")
    described.range = nil
    #expect(described.rangeText == nil)
    let light = StreamDescription(
      signal: "illuminance", unit: "lx", axes: ["value"], countsPerUnit: 1_000, range: 64_000,
      rate: 10, lossAccounting: .estimated)
    #expect(light.rangeText == "up to 64000 lx")
  }

  @Test func `descriptions still match if only one of them has a range`() {
    var older = acceleration
    older.range = nil
    #expect(acceleration.agrees(with: acceleration))
    #expect(acceleration.agrees(with: older) && older.agrees(with: acceleration))
    var narrower = acceleration
    narrower.range = 8
    #expect(!acceleration.agrees(with: narrower))
    older.rate = 50
    #expect(!acceleration.agrees(with: older))
  }

  @Test(arguments: [0, -16, .infinity, .nan] as [Double])
  func `only a positive finite number is a valid range`(_ number: Double) {
    #expect(!StreamDescription.isRange(number))
    #expect(StreamDescription.isRange(16))
  }
}
