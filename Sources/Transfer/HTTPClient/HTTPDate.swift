internal import CCurl

/// Parses HTTP dates (RFC 9110 §5.6.7), including the two older formats.
public enum HTTPDate {
  /// Converts a date such as `Sun, 06 Nov 1994 08:49:37 GMT` to seconds since 1970. Returns `nil`
  /// if the string is not a date.
  public static func seconds(_ text: String) -> Double? {
    // libcurl reads a date without a time as midnight, and a bare number as a day.
    guard text.contains(":") else { return nil }
    let seconds = unsafe curl_getdate(text, nil)
    return seconds < 0 ? nil : Double(seconds)
  }
}
