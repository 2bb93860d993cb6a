internal import HTTPClient

/// How long a server asks us to wait (RFC 9110 §10.2.3): seconds, or a date.
enum HTTPDestinationDate {
  /// Seconds a server can make us wait at most; a wrong date must not silence us for years.
  static let longestRest = 86_400.0

  /// The seconds that an answer asks for, counted from now (seconds since 1970); `nil` if it asks
  /// for none.
  ///
  /// A date is compared with the server's own, where the answer has it: our clock may be wrong.
  static func rest(of response: HTTPResponse, at now: Double) -> Double? {
    guard let text = response["retry-after"] else { return nil }
    let seconds: Double
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      seconds = Double(text) ?? longestRest
    } else if let date = Self.seconds(text) {
      seconds = date - (response["date"].flatMap(Self.seconds) ?? now)
    } else {
      return nil
    }
    return min(max(0, seconds), longestRest)
  }

  /// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`, and of the two older forms that
  /// recipients must still read: `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
  static func seconds(_ text: String) -> Double? {
    var parts = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
    guard let first = parts.first, first.allSatisfy(\.isLetter) else { return nil }
    parts.removeFirst()
    if parts.last == "GMT" || parts.last == "UTC" { parts.removeLast() }
    guard parts.count == 4 else { return nil }
    // Weekday, month, day, time, year in the oldest form.
    if Int(parts[0]) == nil { parts = [parts[1], parts[0], parts[3], parts[2]] }
    let months = [
      "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    let time = parts[3].split(separator: ":").compactMap { Int($0) }
    guard let day = Int(parts[0]), (1...31).contains(day),
      let month = months.firstIndex(of: parts[1].lowercased()),
      var year = Int(parts[2]), (0...9_999).contains(year),
      time.count == 3, (0...23).contains(time[0]), (0...59).contains(time[1]),
      (0...60).contains(time[2])
    else { return nil }
    if parts[2].count == 2 { year += year < 70 ? 2_000 : 1_900 }
    return Double(
      days(year, month + 1, day) * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2])
  }

  /// Days since 1970, in a year that begins in March so that the odd day is its last.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let month = month <= 2 ? month + 9 : month - 3
    let century = year.quotientAndRemainder(dividingBy: 400)
    return century.quotient * 146_097 + century.remainder * 365 + century.remainder / 4
      - century.remainder / 100 + (month * 153 + 2) / 5 + day - 1 - 719_468
  }
}
