@testable import LinuxSystem
import TestSupport
import Testing
import Values

@Suite(.computation) struct LocalTimeTests {
  @Test func `a local date includes its time zone`() throws {
    let time = try #require(UTCTime(iso8601: "2026-05-04T22:30:00Z"))
    #expect(LocalTime.text(time, minutes: 0) == "2026-05-04T22:30:00Z")
    #expect(LocalTime.text(time, minutes: 120) == "2026-05-05T00:30:00+02:00")
    #expect(LocalTime.text(time, minutes: -210) == "2026-05-04T19:00:00-03:30")
  }
}
