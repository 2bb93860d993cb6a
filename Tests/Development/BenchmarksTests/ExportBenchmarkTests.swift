import Foundation
import TestSupport
import Testing

/// The real program, which starts a second instance of itself to run the measured export.
@Suite(.realTime) struct ExportBenchmarkTests {
  @Test(arguments: ["csv", "jsonl", "json"])
  func `an odd number of samples is exported, and each sample appears once`(format: String)
    async throws
  {
    let outcome = try await Program.run(
      Program.built("bench"), ["export", "--once", format, "--count", "9001"])
    // The memory and race checkers need some memory themselves.
    let environment = ProcessInfo.processInfo.environment
    let isChecked = ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains { environment[$0] != nil }
    let isLarge = outcome.errors.hasSuffix(" bytes of memory\n")
    #expect(outcome.status == 0 || isChecked && isLarge, "\(outcome.errors)")
  }

  @Test
  func `the export exits with an error status if the store is missing or the format is unknown`()
    async throws
  {
    let calls: [([String], Int32)] = [
      (["/nonexistent", "csv"], 1), (["/nonexistent", "xlsx"], 2), ([], 2),
    ]
    for (arguments, status) in calls {
      let outcome = try await Program.run(Program.built("bench"), ["--export"] + arguments)
      #expect(outcome.status == status)
      #expect(outcome.output == "")
      #expect(outcome.errors.hasPrefix("error: ") == (status == 1), "\(outcome.errors)")
    }
  }
}
