import Benchmarks
import TestSupport
import Testing

/// The crashes and power cuts of `bench torture`, in a shorter run.
@Suite(.realTime) struct TortureTests {
  @Test func `after a recorder is killed, each sample is stored once, except for the newest`()
    async throws
  {
    // The maximum number of recent samples at risk was measured on an idle machine. In this test
    // the recorder may be slower.
    let outcome = try await Program.run(
      Program.built("bench"), ["torture", "--cuts", "6", "--window", "60000"])
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.dropFirst().allSatisfy { $0.hasSuffix("duplicates 0") }, "\(outcome.output)")
  }

  @Test(.computation) func `after a power cut, all synced data are present exactly once`() throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    let report = try PowerCuts(cuts: 40, seed: seed).run()
    #expect(report.broken.isEmpty, "seed \(seed): \(report.broken)")
    #expect(report.cuts == 40 && report.stored > 0 && report.duplicates == 0, "seed \(seed)")
  }

  @Test(arguments: [["--cuts", "0"], ["--cuts"], ["--often", "3"]])
  func `the error for an invalid call states the mistake`(arguments: [String]) async throws {
    let outcome = try await Program.run(Program.built("bench"), ["torture"] + arguments)
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("error: '\(arguments[0])"), "\(outcome.errors)")
    #expect(outcome.errors.hasSuffix("       try 'bench --help'\n"))
  }
}
