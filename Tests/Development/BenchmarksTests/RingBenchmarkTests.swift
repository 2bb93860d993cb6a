import Benchmarks
import Foundation
import LinuxSystem
import TestSupport
import Testing

/// Checks only that each implementation transfers every number. The speed is not checked.
@Suite(
  .computation,
  .enabled(if: Processors.allowed.count > 1, "two threads need two processors of their own"))
struct RingBenchmarkTests {
  @Test(arguments: ["item", "batch", "round-trip"])
  func `the ring delivers every number in order`(side: String) {
    let outcome = BenchCommand.run(["ring", "--once", side, "--count", "3000"])
    #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome.complaint)")
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/c++"),
      "SKIPPED: there is no c++"))
  func `the C++ queue is measured for comparison`() throws {
    let outcome = BenchCommand.run(["ring", "--repeats", "2", "--count", "1000", "--json"])
    #expect(outcome.status == 0, "\(outcome.complaint)")
    let line = try #require(outcome.output.first)
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    let benchmark = try #require((report["benchmarks"] as? [[String: Any]])?.first)
    let sides = try #require(benchmark["sides"] as? [[String: Any]])
    let compared = sides.flatMap { side in
      (side["ratios"] as? [[String: Any]] ?? []).compactMap { $0["baseline"] as? String }
    }
    #expect(compared == ["item-c++", "item-c++", "round-trip-c++"])
  }
}
