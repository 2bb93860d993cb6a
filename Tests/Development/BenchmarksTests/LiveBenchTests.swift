import Foundation
import TestSupport
import Testing
import Values

@testable import Benchmarks

/// Gateways that publish their state, as in `bench live` but on a very small scale.
@Suite(.realTime) struct LiveBenchTests {
  @Test(
    .enabled(if: Mosquitto.isInstalled, Mosquitto.absence),
    .enabled(if: NATSCluster.isInstalled, NATSCluster.absence), arguments: ["mosquitto", "nats"])
  func `the report on gateways and a reader contains messages, events and violations`(
    _ broker: String
  )
    async throws
  {
    let outcome = try await Program.run(
      Program.built("bench"),
      [
        "live", "--broker", broker, "--gateways", "30", "--seconds", "4", "--interval", "1",
        "--expires", "4", "--json",
      ], environment: ["PATH": NATSCluster.path])
    // Speed is measured only in the benchmark, because this computer may be busy.
    #expect([0, 1].contains(outcome.status), "\(outcome.output)\(outcome.errors)")
    let report = try JSONDecoder().decode(JSON.self, from: Data(outcome.output.utf8))
    #expect(try #require(report["sent"]?.integer) >= 30)
    #expect(try #require(report["firstHalf"]?["events"]?.integer) > 0)
    #expect(report["violations"] != nil)
  }

  @Test(arguments: [
    ["--seconds", "0"], ["--gateways", "many"], ["--broker", "kafka"], ["--often"],
  ])
  func `the error for an invalid call states the mistake`(arguments: [String]) async {
    let outcome = await LiveBench.run(arguments[...])
    #expect(outcome.status == 2)
    #expect(outcome.complaint.first?.contains("'\(arguments[0])'") == true)
  }
}
