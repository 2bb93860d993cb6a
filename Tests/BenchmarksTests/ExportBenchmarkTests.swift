import Foundation
import TestSupport
import Testing

/// With the program itself, which is started again as the export that it measures.
@Suite struct ExportBenchmarkTests {
  @Test(arguments: ["csv", "jsonl", "json"])
  func `an odd number of samples is exported, each sample once`(format: String) async throws {
    let outcome = try await Program.run(
      Program.built("bench"), ["export", "--once", format, "--count", "9001"])
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test func `a store that is not there, and a format that is none, end it`() async throws {
    for arguments in [["/nonexistent", "csv"], ["/nonexistent", "xlsx"], []] {
      let outcome = try await Program.run(Program.built("bench"), ["--export"] + arguments)
      #expect(outcome.status != 0)
      #expect(outcome.output == "")
    }
  }
}
