extension UTCTime {
  /// Parses `YYYY-MM-DDTHH:MM`, optionally with seconds and a fraction, followed by `Z` or an
  /// offset from UTC such as `+02:00`.
  public init?(iso8601 text: String) {
    var rest = Substring(text)
    /// Reads the given number of digits and the separator that must follow them.
    func number(_ digits: Int, _ bounds: ClosedRange<Int>, then mark: String = "") -> Int? {
      let word = rest.prefix(digits)
      guard word.utf8.count == digits, word.utf8.allSatisfy({ (48...57).contains($0) }),
        let value = Int(word), bounds.contains(value), rest.dropFirst(digits).hasPrefix(mark)
      else { return nil }
      rest = rest.dropFirst(digits + mark.count)
      return value
    }
    // A 64-bit count of nanoseconds covers the years 1677 to 2262.
    guard let year = number(4, 1_700...2_200, then: "-"), let month = number(2, 1...12, then: "-"),
      let day = number(2, 1...31, then: "T"), let hour = number(2, 0...23, then: ":"),
      let minute = number(2, 0...59)
    else { return nil }
    var nanoseconds = Int64(hour * 60 + minute) * 60_000_000_000
    if rest.hasPrefix(":") {
      rest = rest.dropFirst()
      // A leap second is read as the second that follows it.
      guard let second = number(2, 0...60) else { return nil }
      nanoseconds += Int64(second) * 1_000_000_000
      if rest.hasPrefix(".") {
        let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty else { return nil }
        let padded = digits.prefix(9) + String(repeating: "0", count: max(0, 9 - digits.count))
        guard let fraction = Int64(padded) else { return nil }
        nanoseconds += fraction
        rest = rest.dropFirst(1 + digits.count)
      }
    }
    if rest == "Z" {
      rest = ""
    } else {
      guard let sign = rest.first, sign == "+" || sign == "-" else { return nil }
      rest = rest.dropFirst()
      guard let hours = number(2, 0...23, then: ":"), let minutes = number(2, 0...59) else {
        return nil
      }
      let offset = Int64(hours * 60 + minutes) * 60_000_000_000
      nanoseconds += sign == "+" ? -offset : offset
    }
    guard rest.isEmpty else { return nil }
    let midnight = UTCTime(year: year, month: month, day: day, nanosecondOfDay: 0)
    // Without this check, 30 February would become a day in March.
    guard midnight.calendar.day == day else { return nil }
    self.init(nanoseconds: midnight.nanoseconds + nanoseconds)
  }
}
