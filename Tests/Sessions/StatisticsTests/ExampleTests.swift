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
}
