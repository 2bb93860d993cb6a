import MetaWearProtocol
import TestSupport
import Testing

@testable import BoardDriver
import Values

@Suite(.computation) struct LinkPaceTests {
  @Test(arguments: [(1, 7.5), (2, 15), (3, 15), (4, 30), (5, 30), (10, 30)])
  func `the connection interval grows with the number of boards on an adapter`(
    boards: Int, milliseconds: Double
  ) {
    #expect(LinkPace.streaming(boards: boards).milliseconds == milliseconds)
  }

  @Test func `a download uses the shortest connection interval`() {
    #expect(LinkPace.download.milliseconds == 7.5)
  }

  @Test(arguments: [
    (LinkPace.fast, "11 09 06 00 06 00 00 00 58 02"),
    (.shared, "11 09 0c 00 0c 00 00 00 58 02"),
    (.crowded, "11 09 18 00 18 00 00 00 58 02"),
  ])
  func `every connection interval is requested with a supervision timeout of 6 s`(
    pace: LinkPace, bytes: String
  ) {
    let sent = Settings.prefer(pace.parameters).bytes
    #expect(sent == bytes.split(separator: " ").compactMap { UInt8($0, radix: 16) })
    #expect(pace.parameters.violation == nil)
  }

  @Test func `more than three boards at 7.5 ms cause a warning`() {
    #expect(LinkPace.fast.warning(boards: 3) == nil)
    #expect(
      LinkPace.fast.warning(boards: 4)
        == "4 boards share an adapter that supports only 3 at 7.5 ms: expect losses, or use 30 ms"
    )
    #expect(LinkPace.shared.warning(boards: 5) == nil)
    #expect(LinkPace.crowded.warning(boards: 10) == nil)
  }
}

@Suite(.computation) struct LinkReportTests {
  @Test func `a link's report shows the requested and the achieved connection interval`() {
    let report = LinkReport(requested: .fast, achieved: .measured(milliseconds: 11.24))
    #expect(report.text == "requested 7.5 ms / achieved 11.2 ms")
    #expect(
      LinkReport(requested: .shared, achieved: .atMost(milliseconds: 20.01)).text
        == "requested 15.0 ms / achieved at most 20.0 ms")
    #expect(
      LinkReport(requested: .crowded, achieved: nil).text == "requested 30.0 ms / achieved unknown")
  }

  @Test
  func `a link meets its request if the achieved connection interval is close to it or unknown`() {
    let reports: [(AchievedInterval?, Bool)] = [
      (.measured(milliseconds: 15), true), (.measured(milliseconds: 16.25), true),
      (.measured(milliseconds: 18.75), false), (.measured(milliseconds: 7.5), false),
      (.atMost(milliseconds: 40), true), (.atMost(milliseconds: 10), false), (nil, true),
    ]
    for (achieved, isAsRequested) in reports {
      #expect(
        LinkReport(requested: .shared, achieved: achieved).isAsRequested == isAsRequested,
        "\(String(describing: achieved))")
    }
  }
}
