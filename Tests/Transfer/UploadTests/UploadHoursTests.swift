import TestSupport
import Testing
import Upload

@Suite(.computation) struct UploadHoursTests {
  @Test(arguments: [
    ("20:00-06:00", "20:00-06:00"), ("8:30-17:45", "08:30-17:45"), ("22:00-24:00", "22:00-00:00"),
    ("00:00-06:00", "00:00-06:00"),
  ])
  func `upload hours are parsed, and shown in a uniform format`(
    _ text: String, _ description: String
  ) throws {
    let hours = try #require(UploadHours(text))
    #expect("\(hours)" == description)
    #expect(UploadHours(description) == hours)
  }

  @Test(arguments: [
    "", "20:00", "20:00-", "-06:00", "20-06", "25:00-06:00", "20:60-06:00", "20:00-20:00",
    "00:00-24:00", "20:00-06:00-07:00", "+8:00-09:00", "24:01-09:00", "020:00-06:00", "8:0-9:0",
  ])
  func `text that contains no valid upload hours is rejected`(_ text: String) {
    #expect(UploadHours(text) == nil)
  }

  @Test func `upload hours that cross midnight include the night and exclude the day`() throws {
    let hours = try #require(UploadHours("20:00-06:00"))
    let open = (0..<1_440).filter(hours.contains)
    #expect(open == Array(0..<360) + Array(1_200..<1_440))
    #expect(hours.minutesUntilOpen(at: 360) == 840)
    #expect(hours.minutesUntilOpen(at: 1_199) == 1)
    #expect(hours.minutesUntilOpen(at: 30) == 0)
  }

  @Test func `after the day's upload hours end, the wait extends past midnight`() throws {
    let hours = try #require(UploadHours("09:00-17:00"))
    #expect((0..<1_440).filter(hours.contains) == Array(540..<1_020))
    #expect(hours.minutesUntilOpen(at: 1_020) == 960)
  }
}
