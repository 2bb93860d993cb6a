import NMEA
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct ExampleTests {
  @Test func `the example in NMEA's documentation runs`() {
    var reader = NMEAReader()
    var fixes: [Fix] = []
    func take(_ report: PositionReport) {
      if case .fix(let fix) = report { fixes.append(fix) }
    }
    let line = Array("$GPRMC,093000,A,5310.080,N,00956.400,E,2.7,84.4,040526,,,A*43\r\n".utf8)
    reader.receive(line.span, at: BootTime(nanoseconds: 0), report: take)
    reader.flush(report: take)
    #expect(fixes.map(\.latitude) == [53.168])
    #expect(fixes.first?.utc.iso8601(decimals: 0) == "2026-05-04T09:30:00Z")
  }
}
