import Benchmarks
import TestSupport
import Testing

/// The results of `bench truth`, in a shorter run.
@Suite(.computation) struct TruthTests {
  @Test(.computation) func `times and positions are as accurate as documented`() throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    print("seed \(seed)")
    let rows = Truth(seed: seed, minutes: 4).rows()
    let times = rows.filter { $0.name.hasPrefix("time") }
    #expect(times.count == 3)
    for row in times {
      #expect(row.figures.median < 1 && row.figures.maximum < 10, "seed \(seed): \(row)")
    }
    // In addition to its usual latency, a receiver is up to 250 ms late, and the boot clock
    // deviates by 10 ppm.
    for row in rows where row.name.hasPrefix("UTC") {
      #expect(row.figures.maximum < 25, "seed \(seed): \(row)")
    }
    let positions = rows.filter { $0.name.hasPrefix("position") }
    try #require(positions.count == 6)
    let (interpolated, last) = (positions[0].figures, positions[1].figures)
    #expect(interpolated.percentile95 < 0.1, "seed \(seed): \(interpolated)")
    #expect(interpolated.median < last.median / 5, "seed \(seed): \(interpolated), \(last)")
  }

  @Test func `the error for an invalid call states the mistake`() async throws {
    let outcome = try await Program.run(Program.built("bench"), ["truth", "--cuts", "3"])
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("error: 'bench truth' has no option '--cuts'"))
  }
}
