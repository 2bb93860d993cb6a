/// The cookie that contains a paired browser's token.
///
/// Cookies are not bound to ports: a browser sends this cookie to every server on the computer. Any
/// of these servers can set a cookie with the same name. A request may therefore contain several
/// such cookies, and each is tried.
public enum SessionCookie {
  public static let name = "footbridge"
  /// Maximum age of the cookie in seconds. Browsers allow at most 400 days.
  static let seconds = 400 * 86_400
  /// Maximum number of cookies with this name that are checked.
  static let most = 8

  /// Returns the tokens in a request's `Cookie` fields.
  public static func tokens(in fields: [String]) -> [DeviceToken] {
    var tokens: [DeviceToken] = []
    for field in fields {
      for part in field.utf8.split(separator: UInt8(ascii: ";")) {
        guard tokens.count < most else { return tokens }
        guard let value = Self.value(Substring(part)), let token = DeviceToken(value) else {
          continue
        }
        tokens.append(token)
      }
    }
    return tokens
  }

  /// Returns the value of `Set-Cookie` in the response that pairs a browser.
  ///
  /// - Parameter isEncrypted: Whether the browser used `https`. If so, the cookie is never sent
  ///   over plain HTTP.
  public static func setting(_ token: DeviceToken, isEncrypted: Bool) -> String {
    text(token.revealed, seconds: seconds, isEncrypted)
  }

  /// Returns the value of `Set-Cookie` that deletes a browser's token.
  public static func clearing(isEncrypted: Bool) -> String {
    text("", seconds: 0, isEncrypted)
  }

  private static func text(_ value: String, seconds: Int, _ isEncrypted: Bool) -> String {
    "\(name)=\(value); HttpOnly; SameSite=Strict; Path=/; Max-Age=\(seconds)"
      + (isEncrypted ? "; Secure" : "")
  }

  /// Returns the value of a `NAME=VALUE` pair if the name matches this cookie's name. The name is
  /// case-sensitive (RFC 6265, section 4.2).
  private static func value(_ pair: Substring) -> String? {
    let pair = pair.drop { $0 == " " || $0 == "\t" }
    guard pair.hasPrefix(name + "=") else { return nil }
    var value = pair.dropFirst(name.utf8.count + 1)
    while value.last == " " || value.last == "\t" { value.removeLast() }
    guard value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else {
      return String(value)
    }
    return String(value.dropFirst().dropLast())
  }
}
