import TestSupport
import Testing
import Values

@Suite(.computation) struct ExampleTests {
  @Test func `the example in Values's documentation runs`() {
    let start = UTCTime(iso8601: "2026-05-04T11:30:00.125+02:00")
    let date = start?.calendar
    let text = start?.iso8601(decimals: 3)
    #expect(date?.day == 4)
    #expect(text == "2026-05-04T09:30:00.125Z")
  }
}
