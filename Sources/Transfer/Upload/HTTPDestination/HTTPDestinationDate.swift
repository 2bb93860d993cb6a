internal import HTTPClient

/// The wait that a server asks for (RFC 9110 §10.2.3): seconds, or a date.
enum HTTPDestinationDate {
  /// Most seconds that a server can make us wait; a wrong date must not silence us for years.
  static let longestRest = 86_400.0

  /// Seconds to wait from now (seconds since 1970), as an answer asks; `nil` if it does not.
  ///
  /// A date is compared with the server's own, if the answer contains it: our clock may be wrong.
  static func rest(of response: HTTPResponse, at now: Double) -> Double? {
    guard let text = response["retry-after"] else { return nil }
    let seconds: Double
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      seconds = Double(text) ?? longestRest
    } else if let date = HTTPDate.seconds(text) {
      seconds = date - (response["date"].flatMap(HTTPDate.seconds) ?? now)
    } else {
      return nil
    }
    return min(max(0, seconds), longestRest)
  }
}
