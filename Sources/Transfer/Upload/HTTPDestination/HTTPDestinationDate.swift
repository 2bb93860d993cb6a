internal import HTTPClient

/// Reads the pause that a server requests (RFC 9110 §10.2.3), given in seconds or as a date.
enum HTTPDestinationDate {
  /// The maximum pause, in seconds, that a server can request. An incorrect date must not stop
  /// uploads for years.
  static let longestRest = 86_400.0

  /// Returns the seconds to wait from `now` (in seconds since 1970), or `nil` if the response does
  /// not request a pause.
  ///
  /// If the response contains the server's own date, the requested date is compared with that date,
  /// because this computer's clock may be wrong.
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
