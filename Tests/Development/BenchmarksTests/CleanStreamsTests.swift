import Benchmarks
import TestSupport
import Testing

/// The results of `bench clean`, in a shorter run.
@Suite(.computation) struct CleanStreamsTests {
  @Test func `lossless streams are reported without losses and with correct times`() throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    print("seed \(seed)")
    var clean = CleanStreams(seed: seed, hours: 0.5)
    clean.seconds = 120
    let rows = clean.rows()
    try #require(rows.count == 15)
    #expect(rows.allSatisfy { $0.hours * 3_600 > 119 })
    // One session in several thousand is expected to report a false loss.
    #expect(rows.reduce(0) { $0 + $1.wrong } <= 1, "seed \(seed): \(rows.map(\.lost))")
    for row in rows where row.rate >= 10 {
      let median = row.errors.within(0.5)
      #expect(median > 0 && median < 15, "seed \(seed): \(row.rate) Hz: \(median) ms")
    }
  }

  @Test func `timing errors are counted in bins, and the largest errors in the last bin`() {
    var counts = CleanStreams.ErrorCounts()
    for value in [0, 0.004, -0.014, 2.5] { counts.add(milliseconds: value) }
    #expect(counts.within(0.5) == 0.01)
    #expect(counts.within(0.75) == 0.02)
    #expect(counts.within(1) == 2.51)
    counts.add(milliseconds: 1e9)
    #expect(counts.within(1) == 1_000)
  }

  @Test func `the error for an invalid call states the mistake`() async throws {
    for arguments in [["--hours"], ["--hours", "0"], ["--seed", "x"], ["--cuts", "3"]] {
      let outcome = try await Program.run(Program.built("bench"), ["clean"] + arguments)
      #expect(outcome.status == 2)
      #expect(outcome.errors.hasPrefix("error: '\(arguments[0])' is not an option of clean"))
    }
  }
}
