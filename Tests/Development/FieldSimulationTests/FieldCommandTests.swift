import LinuxSystem
import TestSupport
import Testing

@testable import FieldSimulation

@Suite(.computation) struct FieldOptionsTests {
  @Test
  func
    `a seed always produces the same simulated trip, and different seeds produce different ones`()
  {
    func times(_ seed: UInt64) -> [Double] {
      FieldPlan(seed: seed, days: 3, boards: 2).events.map(\.time)
    }
    #expect(times(7) == times(7))
    #expect(times(7) != times(8))
  }

  @Test
  func `when a simulated trip is shrunk, a fault's start and end are kept or dropped together`() {
    for seed in 1...50 as ClosedRange<UInt64> {
      let plan = FieldPlan(seed: seed, days: 1, boards: 1)
      #expect(plan.occasions.joined().sorted() == Array(plan.events.indices))
      for occasion in plan.occasions {
        let stories = occasion.map { plan.events[$0].story }
        func isWhole(_ fault: String, _ end: String) -> Bool {
          !stories.contains { $0.contains(fault) } || stories.contains { $0.contains(end) }
        }
        #expect(isWhole("switches the adapter off", "the adapter is switched on"), "seed \(seed)")
        #expect(isWhole("the adapter is unplugged", "the adapter is plugged in"), "seed \(seed)")
        #expect(isWhole("the radio is blocked", "the radio is unblocked"), "seed \(seed)")
        #expect(isWhole("the disk fails", "the disk works again"), "seed \(seed)")
        #expect(
          isWhole("the user starts a recording", "the user presses Ctrl-C")
            || stories.contains { $0.contains("is killed") || $0.contains("power is cut") },
          "seed \(seed)")
      }
    }
  }

  @Test func `in a simulated trip, no fault occurs in the last six minutes before a stop`() {
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
    ["--seed", "1", "--trace", "--brief"], ["--seed", "1", "--minutes", "1"],
    ["--seed", "1", "--from", "2"], ["--seed", "1", "--without", "9999"],
    ["--seed", "1", "--without", "-1"], ["--seed", "1", "--without", "1,,2"], ["--days", "0.5"],
    ["--trips", "0"], ["--trips", "3", "--minutes", "1"], ["--seed", "1", "--trips", "3"],
  ])
  func `invalid options are rejected`(_ arguments: [String]) async {
    let outcome = await FieldCommand.run(arguments[...]) { _ in }
    #expect(outcome.status == 2)
    #expect(outcome.complaint.first?.hasPrefix("error: ") ?? false)
  }

  @Test
  func `the summary of a failed trip names its seed, and its first broken invariant or last line`()
  {
    let broken = FieldCampaign.Finding(
      seed: 9,
      lines: [
        "BROKEN day 1 08:22:22.407 no silence: nothing for 3 s",
        "BROKEN day 1 09:00:00.000 kept: x",
      ], status: 1)
    #expect(broken.summary == "seed 9: no silence")
    let crashed = FieldCampaign.Finding(
      seed: 4, lines: ["the trip exited with status 133"], status: 133)
    #expect(crashed.summary == "seed 4: the trip exited with status 133")
  }

  @Test func `a time within a trip is shown with its day`() {
    #expect(FieldCommand.clock(86_400 + 3_661.5) == "day 2 01:01:01.500")
  }
}

@Suite(.realTime) struct FieldTripTests {
  /// Simulates a trip with few events. The seed determines the trip's plan.
  private func trip() async throws -> String {
    let outcome = try await Program.run(
      Program.built("bench"), ["field", "--seed", "3", "--trace"])
    #expect(outcome.status == 0)
    return outcome.output
  }

  @Test func `a missing folder for temporary files is not reported as a broken invariant`()
    async throws
  {
    let outcome = try await Program.run(
      Program.built("bench"), ["field", "--seed", "3"],
      environment: ["TMPDIR": "/nowhere"])
    #expect(outcome.status == 3)
    #expect(outcome.errors.hasPrefix("error: cannot create a temporary folder in /nowhere"))
    #expect(outcome.errors.contains("set TMPDIR to a folder with 128 MB of space"))
    #expect(!outcome.output.contains("BROKEN"))
  }

  @Test func `Ctrl-C ends the simulated trips and leaves no files`() async throws {
    let folder = try TemporaryFolder(prefix: "footbridge-test")
    let program = try Program(
      Program.built("bench"), ["field", "--minutes", "10"], environment: ["TMPDIR": folder.path])
    _ = await program.line { $0.contains(" known seeds, then fresh ones from ") }
    program.signal(SignalWatch.interrupt)
    #expect(await program.wait().status == 130)
    #expect(try Folder.names(in: folder.path).isEmpty)
  }

  @Test func `two simulated trips with the same seed are byte-identical and break no invariant`()
    async throws
  {
    let (one, other) = (try await trip(), try await trip())
    #expect(one == other)
    #expect(one.contains("the user presses Ctrl-C"))
    #expect(one.contains("trip: seed 3, "))
    #expect(!one.contains("BROKEN"))
  }
}
