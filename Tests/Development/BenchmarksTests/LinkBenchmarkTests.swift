import Foundation
import TestSupport
import Testing

/// The real program, which starts itself again as the receiver to be measured.
@Suite(.realTime) struct LinkBenchmarkTests {
  /// A socket has room for this many packets while other tests hold up its receiver.
  private static let count = "150"

  @Test(arguments: ["each", "tick"])
  func `our path from a descriptor to the store receives every packet`(pace: String) async throws {
    let outcome = try await Program.run(
      Program.built("bench"), ["link", "--once", pace, "--count", Self.count])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.isEmpty)
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/cc"),
      "SKIPPED: there is no cc"))
  func `the plain C programs are woken for each packet and on the tick`() async throws {
    for side in ["plain-each", "plain-tick"] {
      let outcome = try await Program.run(
        Program.built("bench"), ["link", "--once", side, "--count", Self.count])
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
  }

  @Test func `endurance reports the time of a packet`() async throws {
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

  @Test func `a peer that is absent is reported as absent`() async throws {
    // A working directory without the Python environment.
    let outcome = try await Program.run(
      "/usr/bin/env",
      ["-C", "/", Program.built("bench"), "link", "--once", "bleak-signals", "--count", "1"])
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.hasPrefix(
        "error: 'bleak-signals' cannot be measured here: .build/test-environment/bin/python is"))
  }
}
