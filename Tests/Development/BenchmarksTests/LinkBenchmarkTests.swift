import Foundation
import TestSupport
import Testing

/// The real program, which starts a second instance of itself as the measured receiver.
@Suite(.realTime) struct LinkBenchmarkTests {
  /// The number of packets that a socket can buffer, even if other tests delay the receiver.
  private static let count = "150"

  @Test(arguments: ["each", "tick"])
  func `the gateway's own code delivers every packet from a file descriptor to the store`(
    pace: String
  )
    async throws
  {
    let outcome = try await Program.run(
      Program.built("bench"), ["link", "--once", pace, "--count", Self.count])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.isEmpty)
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/cc"),
      "SKIPPED: there is no cc"))
  func `the comparison programs in C, 'plain-each' and 'plain-tick', run successfully`()
    async throws
  {
    for side in ["plain-each", "plain-tick"] {
      let outcome = try await Program.run(
        Program.built("bench"), ["link", "--once", side, "--count", Self.count])
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
  }

  @Test func `the benchmark 'endurance' reports the processing time per packet`() async throws {
    let outcome = try await Program.run(
      Program.built("bench"), ["endurance", "--count", Self.count, "--json"])
    try #require(outcome.status == 0, "\(outcome.errors)")
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    let benchmark = try #require((report["benchmarks"] as? [[String: Any]])?.first)
    let side = try #require((benchmark["sides"] as? [[String: Any]])?.first)
    #expect(side["name"] as? String == "adaptive")
    let times = try #require(side["nanosecondsPerUnit"] as? [String: Double])
    #expect(try #require(times["median"]) > 0)
  }

  @Test func `the error for a missing comparison program names the program and the missing file`()
    async throws
  {
    // The working directory lacks the Python environment that the comparison needs.
    let outcome = try await Program.run(
      "/usr/bin/env",
      ["-C", "/", Program.built("bench"), "link", "--once", "bleak-signals", "--count", "1"])
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.hasPrefix(
        "error: 'bleak-signals' cannot be measured here: .build/test-environment/bin/python "))
  }
}
