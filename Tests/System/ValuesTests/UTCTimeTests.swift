import Foundation
import TestSupport
import Testing
import Values

@Suite(.computation) struct UTCTimeTests {
  struct Day: CustomTestStringConvertible {
    let year: Int
    let month: Int
    let day: Int
    let days: Int64
    var testDescription: String { "\(year)-\(month)-\(day)" }
  }

  @Test(arguments: [
    Day(year: 1970, month: 1, day: 1, days: 0),
    Day(year: 1969, month: 12, day: 31, days: -1),
    Day(year: 1972, month: 2, day: 29, days: 789),
    Day(year: 1900, month: 2, day: 28, days: -25_509),
    Day(year: 1900, month: 3, day: 1, days: -25_508),
    Day(year: 2000, month: 2, day: 29, days: 11_016),
    Day(year: 2000, month: 3, day: 1, days: 11_017),
    Day(year: 2026, month: 12, day: 31, days: 20_818),
    Day(year: 2100, month: 2, day: 28, days: 47_540),
    Day(year: 2100, month: 3, day: 1, days: 47_541),
  ])
  func `a date is converted to its day number, even in leap years and across centuries`(_ day: Day)
  {
    let time = UTCTime(year: day.year, month: day.month, day: day.day, nanosecondOfDay: 0)
    #expect(time.nanoseconds == day.days * UTCTime.nanosecondsPerDay)
    let calendar = time.calendar
    #expect(calendar.year == day.year)
    #expect(calendar.month == day.month)
    #expect(calendar.day == day.day)
    #expect(calendar.nanosecondOfDay == 0)
  }

  @Test func `from 1700 to 2200, adding a day to a date yields the next date of the calendar`() {
    var expected = (year: 1700, month: 1, day: 1)
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    var time = UTCTime(year: 1700, month: 1, day: 1, nanosecondOfDay: 0)
    while expected.year < 2200 {
      let calendar = time.calendar
      guard (calendar.year, calendar.month, calendar.day) == expected else {
        Issue.record("\(calendar) instead of \(expected)")
        return
      }
      let year = expected.year
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      expected.day += 1
      if expected.day > lengths[expected.month - 1] + (isLeap && expected.month == 2 ? 1 : 0) {
        expected.day = 1
        expected.month += 1
      }
      if expected.month > 12 { expected = (year + 1, 1, 1) }
      time.nanoseconds += UTCTime.nanosecondsPerDay
    }
  }

  @Test func `any instant is formatted as another calendar implementation formats it`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let formatter = ISO8601DateFormatter()
    for _ in 0..<2_000 {
      // Whole seconds within two centuries around 1970.
      let seconds = Int64.random(in: -3_000_000_000...6_000_000_000, using: &random)
      let expected = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
      #expect(UTCTime(nanoseconds: seconds * 1_000_000_000).iso8601(decimals: 0) == expected)
    }
  }

  @Test func `an instant before 1970 has a valid time of day`() {
    let time = UTCTime(nanoseconds: -1)
    #expect(time.iso8601(decimals: 9) == "1969-12-31T23:59:59.999999999Z")
    #expect(time.calendar.nanosecondOfDay == UTCTime.nanosecondsPerDay - 1)
  }

  @Test func `decimals are truncated, so the text never shows a later instant`() {
    let time = UTCTime(year: 2026, month: 5, day: 4, nanosecondOfDay: 34_200_999_999_999)
    #expect(time.iso8601() == "2026-05-04T09:30:00.999999Z")
    #expect(time.iso8601(decimals: 3) == "2026-05-04T09:30:00.999Z")
    #expect(time.iso8601(decimals: 0) == "2026-05-04T09:30:00Z")
    #expect(time.iso8601(decimals: 9) == "2026-05-04T09:30:00.999999999Z")
  }

  @Test func `instants are ordered chronologically`() {
    #expect(UTCTime(nanoseconds: -5) < UTCTime(nanoseconds: 3))
  }
}
