import Gateway
import Recording
import TestSupport
import Testing
import Values

@testable import Benchmarks

/// The violations that a soak test detects in a series of statuses.
@Suite(.computation) struct SoakTests {
  /// A status with `received` samples, in the format of `footbridge status`.
  private static func status(
    _ received: Int, phase: String = "streaming", trouble: (level: String, subject: String)? = nil,
    remedy: String = "plug it in"
  ) throws -> GatewayStatus {
    let troubles =
      trouble.map {
        """
        {"level":"\($0.level)","subject":"\($0.subject)","text":"gone","remedy":"\(remedy)"}
        """
      } ?? ""
    let text = """
      {"recording":{"phase":"recording","rule":"always",
       "session":"00000000-0000-0000-0000-000000000001"},
       "clock":{"isSynchronised":true},"troubles":[\(troubles)],
       "boards":[{"address":"C8:4B:AA:97:50:05","name":"b0","phase":"\(phase)",
                  "streams":[{"signal":"acceleration","received":\(received)}]}]}
      """
    return try #require(GatewayStatus(json: try JSON(parsing: Array(text.utf8))))
  }

  private func observation(_ fault: SoakFault) throws -> SoakObservation {
    SoakObservation(fault, destination: "home", at: 100, try Self.status(10))
  }

  @Test
  func `a soak test accepts a fault that the status reports and that ends within the limit`()
    throws
  {
    var seen = try observation(.adapterGone)
    seen.note(try Self.status(20), at: 101)
    let lost = ("fault", "bluetooth")
    seen.note(try Self.status(20, phase: "reconnecting", trouble: lost), at: 104)
    seen.cure(at: 115)
    seen.note(try Self.status(20, phase: "reconnecting"), at: 116)
    #expect(!seen.isOver)
    seen.note(try Self.status(30), at: 119)
    #expect(seen.isOver)
    #expect(seen.namedAfter == 4)
    #expect(seen.wellAfter == 4)
    #expect(seen.longestPause == 15)
    #expect(seen.violations.isEmpty)
    #expect(
      seen.row == ["adapter gone", "4.0", "4.0", "15.0", "bluetooth: gone", "plug it in"])
  }

  @Test func `if a limit is exceeded during a soak test, a violation is reported`() throws {
    var late = try observation(.daemonKilled)
    late.note(try Self.status(20, trouble: ("fault", "bluetooth"), remedy: ""), at: 111)
    late.cure(at: 115)
    late.note(try Self.status(20, trouble: ("fault", "bluetooth")), at: 175)
    late.note(try Self.status(30), at: 176)
    #expect(
      late.violations == [
        "reported after 11.0 s", "reported without a remedy", "nothing recorded for 64.0 s",
        "not recovered for 61.0 s",
      ])
    var unseen = try observation(.receiverUnplugged)
    // A problem in another component does not count as a report of the fault.
    unseen.note(try Self.status(20, trouble: ("warning", "clock")), at: 105)
    unseen.cure(at: 106)
    #expect(unseen.violations == ["never reported", "not recovered until the next"])
  }

  @Test
  func `a problem already reported before a fault does not count as a report of the fault`()
    throws
  {
    let trouble = ("warning", "home")
    var seen = SoakObservation(
      .networkCut, destination: "home", at: 100, try Self.status(10, trouble: trouble))
    seen.note(try Self.status(20, trouble: trouble), at: 101)
    #expect(seen.namedAfter == nil)
    seen.cure(at: 125)
    seen.note(try Self.status(30, trouble: trouble), at: 126)
    #expect(seen.wellAfter == 1)
  }

  @Test func `a board restart is explained by the board's own status line`() throws {
    var seen = try observation(.boardRebooted)
    seen.cure(at: 100)
    seen.note(try Self.status(20, phase: "reconnecting"), at: 102)
    seen.note(try Self.status(30), at: 104)
    #expect(seen.violations.isEmpty)
    #expect(seen.row.suffix(2) == ["b0: reconnecting", "none is needed"])
  }

  @Test func `a sample that is neither stored nor counted as lost is reported`() {
    var counts = SoakCounts(sent: 100, arrived: 90, stored: 85, lost: [.store: 5, .link: 10])
    #expect(counts.violations.isEmpty)
    counts.stored = 84
    #expect(
      counts.violations == ["90 samples arrived, 84 were stored and 5 lost by the gateway"])
    counts.stored = 85
    counts.sent = 120
    #expect(counts.violations == ["30 samples were lost over the air, but 15 are counted"])
    #expect(
      counts.line
        == "samples: 120 sent, 90 arrived, 85 stored, 15 lost (link 10, store 5)")
  }

  @Test func `samples reported as lost only in the log are included in the loss count`() {
    var counts = SoakCounts(sent: 100, arrived: 100, stored: 60)
    counts.add(
      log: """
        level=notice event="session closed" session=1 stored=0 held=9 lost=37 reasons="link 2, store 35"
        level=notice event="session closed" session=2 stored=9 held=0 lost=4 reasons="link 4"
        level=notice event="session closed" session=3 stored=9 held=0 lost=5 reasons="store 5, silent 7"
        level=notice event=stopped
        """)
    #expect(counts.lost == [.store: 40])
    #expect(counts.violations.isEmpty)
  }

  @Test(arguments: [
    (["--minutes", "0"], "'--minutes' cannot be '0'"),
    (["--every", "5"], "'--every' cannot be '5'"), (["--every"], "'--every' needs a value"),
    (["--often"], "unknown option '--often'"),
  ])
  func `an invalid call is rejected`(_ arguments: [String], _ problem: String) async {
    let outcome = await SoakCommand.run(arguments[...]) { _ in }
    #expect(outcome.status == 2)
    #expect(outcome.complaint.first == "error: \(problem)")
  }
}
