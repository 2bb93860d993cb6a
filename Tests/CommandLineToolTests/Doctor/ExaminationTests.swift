@testable import CommandLineTool
@testable import Terminal
import LinuxSystem
import TestSupport
import Testing
import Values

/// Checks that run concurrently, each with a time limit.
@Suite(.simulatedTime) struct ExaminationTests {
  private func part(_ check: Finding.Check, after seconds: Double) -> Examination.Part {
    Examination.Part(or: .warning(check, "does not answer", remedy: "wait")) {
      try? await Pause.seconds(seconds)
      return [.ok(check, "looked at")]
    }
  }

  @Test func `a check that times out is reported as a finding and does not delay the other checks`()
    async
  {
    let began = BootClock.now()
    let findings = await Examination(parts: [
      part(.clock, after: 4.9), part(.store, after: 3_600), part(.gpsd, after: 4.9),
    ]).findings(within: 5)
    #expect(
      findings.map(\.line) == [
        "ok clock: looked at", "warning store: does not answer -> wait", "ok gpsd: looked at",
      ])
    #expect(BootClock.now().seconds(since: began) == 5)
  }

  @Test func `the report appears as soon as all checks have finished`() async {
    let began = BootClock.now()
    let findings = await Examination(parts: [part(.clock, after: 1)]).findings(within: 5)
    #expect(findings == [.ok(.clock, "looked at")])
    #expect(BootClock.now().seconds(since: began) == 1)
  }
}
