import TestSupport
import Testing

@testable import FieldSimulation

@Suite(.computation) struct FieldOptionsTests {
  @Test func `the plan of a seed is always the same, and another seed has another`() {
    func times(_ seed: UInt64) -> [Double] {
      FieldPlan(seed: seed, days: 3, boards: 2).events.map(\.time)
    }
    #expect(times(7) == times(7))
    #expect(times(7) != times(8))
  }

  @Test func `every walk of a plan begins and ends, and its last ten minutes are calm`() {
    for seed in 1...50 as ClosedRange<UInt64> {
      let events = FieldPlan(seed: seed, days: 2, boards: 1).events
      var stop = Double.infinity
      for event in events.reversed() {
        switch event.kind {
        case .stop: stop = event.time
        case .start: continue
        default: #expect(event.time <= stop - 360, "seed \(seed): \(event.story)")
        }
      }
      #expect(stop < .infinity)
    }
  }

  @Test(arguments: [
    ["--sed", "1"], ["--seed"], ["--seed", "x"], ["--days", "-1"], ["--boards", "11"], ["--trace"],
    ["--seed", "1", "--trace", "--brief"],
  ])
  func `options that make no sense are refused`(_ arguments: [String]) async {
    let outcome = await FieldCommand.run(arguments[...]) { _ in }
    #expect(outcome.status == 2)
    #expect(outcome.complaint.first?.hasPrefix("error: ") ?? false)
  }

  @Test func `a broken trip in brief is its seed and the first invariant, or what else ended it`() {
    let broken = FieldCampaign.Finding(
      seed: 9,
      lines: [
        "BROKEN day 1 08:22:22.407 no silence: nothing for 3 s",
        "BROKEN day 1 09:00:00.000 kept: x",
      ], status: 1)
    #expect(broken.summary == "seed 9: no silence")
    let crashed = FieldCampaign.Finding(
      seed: 4, lines: ["the trip ended with status 133"], status: 133)
    #expect(crashed.summary == "seed 4: the trip ended with status 133")
  }

  @Test func `a time of a trip names its day`() {
    #expect(FieldCommand.clock(86_400 + 3_661.5) == "day 2 01:01:01.500")
  }
}

@Suite(.realTime) struct FieldTripTests {
  /// Lives through the trip of a seed with few events.
  private func trip() async throws -> String {
    let outcome = try await Program.run(
      Program.built("bench"), ["field", "--seed", "3", "--trace"])
    #expect(outcome.status == 0)
    return outcome.output
  }

  @Test func `two runs of a seed are equal to the byte, and break nothing`() async throws {
    let (one, other) = (try await trip(), try await trip())
    #expect(one == other)
    #expect(one.contains("somebody presses Ctrl-C"))
    #expect(one.contains("trip: seed 3, "))
    #expect(!one.contains("BROKEN"))
  }
}
