import Recording
import Statistics
import TestSupport
import Testing
import Values

/// The example of the library's documentation.
@Suite(.computation) struct ExampleTests {
  @Test func `the example of Statistics runs`() {
    let start = Walk.start
    let fixes = Walk(seed: 1, seconds: 100).fixes
    var meter = StatisticsMeter(start: start)
    for fix in fixes { meter.take(fix) }
    let distance = meter.statistics().distance
    #expect((100...200).contains(distance ?? 0))
  }

  /// The numbers and lengths of a minute of walking at 100 Hz.
  private var walk: [(UInt32, Double)] {
    var movement = Movement(seed: 1, rate: 100)
    movement.walk(60, at: .ankle)
    return movement.samples.enumerated().map { (UInt32($0), $1) }
  }

  @Test func `the example of the walking detector runs`() {
    var detector = WalkingDetector(rate: 100)
    for (counter, magnitude) in walk { detector.add(magnitude: magnitude, counter: counter) }
    let first = detector.walk?.first
    #expect(first == 0)
  }

  @Test func `the example of the walking trigger runs`() {
    var trigger = WalkingTrigger(lead: 5, rate: 100)
    var decisions: [WalkingTrigger.Decision] = []
    for (counter, magnitude) in walk {
      if let decision = trigger.add(magnitude: magnitude, counter: counter) {
        decisions.append(decision)
      }
    }
    #expect(decisions == [.begin(at: 0)])
  }
}
