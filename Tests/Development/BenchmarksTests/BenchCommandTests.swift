import Benchmarks
import Foundation
import TestSupport
import Testing

@Suite(.computation) struct BenchCommandTests {
  /// The smallest possible run. It checks that the benchmarks work, not how fast they are.
  private let tiny = ["--repeats", "3", "--count", "600"]

  @Test
  func `every implementation of the benchmark 'decode' is compared with its baseline, if any`()
    throws
  {
    let outcome = BenchCommand.run(["decode", "--json"] + tiny)
    #expect(outcome.status == 0)
    #expect(outcome.output.count == 1)
    let line = try #require(outcome.output.first)
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(report["commit"] is String)
    #expect((report["processor"] as? String)?.isEmpty == false)
    let benchmarks = try #require(report["benchmarks"] as? [[String: Any]])
    #expect(benchmarks.map { $0["name"] as? String } == ["decode"])
    let sides = try #require(benchmarks.first?["sides"] as? [[String: Any]])
    #expect(sides.count == 14)
    for side in sides {
      let times = try #require(side["nanosecondsPerUnit"] as? [String: Double])
      let minimum = try #require(times["minimum"])
      let median = try #require(times["median"])
      let worst = try #require(times["percentile99"])
      #expect(0 < minimum && minimum <= median && median <= worst)
    }
    let compared = sides.flatMap { side in
      (side["ratios"] as? [[String: Any]] ?? []).compactMap { $0["baseline"] as? String }
    }
    #expect(compared == ["single-naive", "packed-naive"])
  }

  @Test func `the benchmark's table contains a line for every implementation`() {
    let outcome = BenchCommand.run(["decode"] + tiny)
    for name in ["packed", "packed-ring", "packed-naive", "timed-ring"] {
      #expect(outcome.output.contains { $0.hasPrefix("\(name) ") }, "\(name)")
    }
  }

  @Test func `a benchmark that is run once, for a profiler, produces no output`() {
    let outcome = BenchCommand.run(["decode", "--once", "packed-ring", "--count", "5000"])
    #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.complaint.isEmpty)
  }

  @Test(arguments: [
    (["fly"], "unknown benchmark 'fly'"),
    (["decode", "--once", "fly"], "'decode' has no side 'fly'; choose from single, single-ring,"),
    (["--once", "packed"], "'--once' needs one benchmark"),
    (["--count"], "'--count' needs a value"),
    (["--repeats", "0"], "'--repeats' cannot be '0'"),
    (["--fast"], "unknown option '--fast'"),
  ])
  func `the error for an invalid call states the mistake and refers to the help`(
    arguments: [String], problem: String
  ) throws {
    let outcome = BenchCommand.run(arguments)
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(try #require(outcome.complaint.first).hasPrefix("error: \(problem)"))
    #expect(outcome.complaint.last == "       try 'bench --help'")
  }

  @Test func `the help lists the benchmark 'decode'`() {
    let outcome = BenchCommand.run(["--help"])
    #expect(outcome.output == [BenchCommand.usage])
    #expect(BenchCommand.usage.contains("\n  decode "))
  }
}
