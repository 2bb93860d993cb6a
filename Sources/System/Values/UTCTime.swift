/// An instant in UTC: nanoseconds since 1970-01-01T00:00:00Z, not counting leap seconds.
///
/// A time with an offset is read as the same instant as its equivalent in UTC:
///
///     let start = UTCTime(iso8601: "2026-05-04T11:30:00.125+02:00")
///     let date = start?.calendar
///     let text = start?.iso8601(decimals: 3)
public struct UTCTime: Comparable, Hashable, Sendable, BitwiseCopyable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Creates an instant from a Gregorian date and a time of day. All components must be in range.
  public init(year: Int, month: Int, day: Int, nanosecondOfDay: Int64) {
    nanoseconds =
      Int64(Self.daysSinceEpoch(year: year, month: month, day: day)) * Self.nanosecondsPerDay
      + nanosecondOfDay
  }

  public static func < (earlier: UTCTime, later: UTCTime) -> Bool {
    earlier.nanoseconds < later.nanoseconds
  }

  public static let nanosecondsPerDay: Int64 = 86_400_000_000_000

  /// The UTC date and time of day.
  public var calendar: (year: Int, month: Int, day: Int, nanosecondOfDay: Int64) {
    var days = nanoseconds / Self.nanosecondsPerDay
    var rest = nanoseconds % Self.nanosecondsPerDay
    if rest < 0 {
      rest += Self.nanosecondsPerDay
      days -= 1
    }
    // If years begin in March, the leap day comes last, so each month begins on a fixed day of the
    // year. The calendar repeats every 400 years (an era, 146,097 days).
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (Int(year), Int(month), Int(day), rest)
  }

  /// Returns the instant as ISO 8601 text in UTC with the given number of decimals, such as
  /// `2026-05-04T09:30:00.125000Z`.
  ///
  /// Truncates instead of rounding, so the text never denotes a later time than the instant.
  public func iso8601(decimals: Int = 6) -> String {
    let (year, month, day, nanosecondOfDay) = calendar
    let seconds = Int(nanosecondOfDay / 1_000_000_000)
    var text = pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + "T"
    text += pad(seconds / 3_600, 2) + ":" + pad(seconds / 60 % 60, 2) + ":" + pad(seconds % 60, 2)
    if decimals > 0 {
      text += "." + pad(Int(nanosecondOfDay % 1_000_000_000), 9).prefix(decimals)
    }
    return text + "Z"
  }

  private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month <= 2 ? year - 1 : year
    let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private func pad(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
