@testable import CommandLineTool
@testable import Terminal
import TestSupport
import Testing
import Values

@Suite(.computation) struct MomentTests {
  @Test(arguments: [("0", 0.0), ("12.5", 12.5), ("86400", 86_400), (".25", 0.25)])
  func `a moment given as a number is parsed as seconds since the session's start`(
    _ text: String, _ seconds: Double
  ) {
    #expect(Moment(text) == .seconds(seconds))
  }

  @Test(arguments: [
    ("0:00", 0.0), ("1:20", 80), ("0:05.5", 5.5), ("90:00", 5_400), ("1:02:03", 3_723),
  ])
  func `a moment such as 1:02:03 is parsed as time since the session's start`(
    _ text: String, _ seconds: Double
  ) {
    #expect(Moment(text) == .seconds(seconds))
  }

  @Test(arguments: [("0:30", 30), ("1:02:03", 3_723), ("90", 90), ("2.5", 2.5)])
  func `a duration may be written in seconds or in the form 1:02:03`(
    _ text: String, _ seconds: Double
  )
    throws
  {
    #expect(try RecordCommand.typed("--seconds", text).seconds == seconds)
  }

  @Test(arguments: ["0:00", "24:00:01", "1m", "1:60"])
  func `an invalid duration is rejected with an example`(_ text: String) async {
    let outcome = await Outcome.of("demo", "--seconds", text)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("or a time as in 1:30"), "\(outcome.errors)")
  }

  @Test(arguments: [
    ("1970-01-01T00:00Z", 0), ("1970-01-01T00:00:01Z", 1_000_000_000),
    ("1970-01-01T02:00:00+02:00", 0), ("1969-12-31T18:30:00-05:30", 0),
    ("2026-05-04T09:30:00.125Z", 1_777_887_000_125_000_000),
    ("2026-05-04T09:30:00.1234567891Z", 1_777_887_000_123_456_789),
    ("2024-02-29T00:00:00Z", 1_709_164_800_000_000_000),
    ("2016-12-31T23:59:60Z", 1_483_228_800_000_000_000),
  ])
  func `a moment with a time zone is converted to UTC`(_ text: String, _ nanoseconds: Int64) {
    #expect(Moment(text) == .utc(UTCTime(nanoseconds: nanoseconds)))
  }

  @Test func `a time copied from an export is parsed as the same instant`() {
    for nanoseconds: Int64 in [0, -1_000, 1_777_887_000_123_456_000, 4_102_444_799_999_999_000] {
      let time = UTCTime(nanoseconds: nanoseconds)
      #expect(Moment(time.iso8601()) == .utc(time))
    }
  }

  @Test(arguments: [
    "", "-1", "1:60", "1:60:00", "1:", ":20", "1.5:20", "1:2:3:4", "99999:00", "1e3", "inf", "nan",
    "0x10", "1.2.3", "9999999999999", "now",
    "2026-05-04", "2026-05-04T09:30:00", "2026-05-04 09:30:00Z", "2026-05-04T09:30:00z",
    "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-05-32T00:00:00Z", "2026-05-04T24:00:00Z",
    "2026-05-04T09:60:00Z", "2026-05-04T09:30:61Z", "2026-05-04T09:30:00.Z",
    "2026-05-04T09:30:00+0200", "2026-05-04T09:30:00+24:00", "2026-05-04T09:30:00Z ",
    "0026-05-04T09:30:00Z", "9026-05-04T09:30:00Z", "+026-05-04T09:30:00Z",
    "２026-05-04T09:30:00Z", "2026-05-04T09:30:00.٣Z",
  ])
  func `text that is not a valid moment is rejected`(_ text: String) {
    #expect(Moment(text) == nil)
  }
}
