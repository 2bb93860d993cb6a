import Foundation
import TestSupport
import Testing

/// With the program itself, which is started again as the receiver that it measures.
@Suite struct LinkBenchmarkTests {
  @Test(arguments: ["each", "tick"])
  func `our way from a descriptor to the store takes every packet`(pace: String) async throws {
    let outcome = try await Program.run(
      Program.built("bench"), ["link", "--once", pace, "--count", "300"])
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/cc")))
  func `the plain C programs are woken for each packet and on the tick`() async throws {
    for side in ["plain-each", "plain-tick"] {
      let outcome = try await Program.run(
        Program.built("bench"), ["link", "--once", side, "--count", "300"])
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
  }

  @Test func `endurance says what a packet takes, or how many were lost`() async throws {
    let outcome = try await Program.run(
      Program.built("bench"), ["endurance", "--count", "2000", "--json"])
    // A machine that runs other tests may leave the receiver waiting for longer than its socket lasts.
    guard outcome.status == 0 else {
      #expect(outcome.errors.contains(" found no room"))
      return
    }
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    let benchmark = try #require((report["benchmarks"] as? [[String: Any]])?.first)
    let side = try #require((benchmark["sides"] as? [[String: Any]])?.first)
    #expect(side["name"] as? String == "adaptive")
    let times = try #require(side["nanosecondsPerUnit"] as? [String: Double])
    #expect(try #require(times["median"]) > 0)
  }

  @Test func `a peer that is absent is reported as absent`() async throws {
    // Where there is no Python environment.
    let outcome = try await Program.run(
      "/usr/bin/env",
      ["-C", "/", Program.built("bench"), "link", "--once", "bleak-signals", "--count", "1"])
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.hasPrefix(
        "error: 'bleak-signals' cannot be measured here: there is no .build/test-environment"))
  }
}
