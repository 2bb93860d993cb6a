internal import CCurl

/// A date as servers write it (RFC 9110 §5.6.7), also in its two older forms.
public enum HTTPDate {
  /// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for a text that is not a date.
  public static func seconds(_ text: String) -> Double? {
    // libcurl takes a date without a time of day for its midnight, and a number for a day.
    guard text.contains(":") else { return nil }
    let seconds = unsafe curl_getdate(text, nil)
    return seconds < 0 ? nil : Double(seconds)
  }
}
