internal import CCurl

/// The components of an `http` or `https` URL, as libcurl interprets them when it connects.
public struct WebAddress: Hashable, Sendable {
  public let isEncrypted: Bool
  /// The host. An IPv6 address is in brackets and includes its zone.
  public let host: String
  /// The port number; `nil` if the address omits it.
  public let port: UInt16?
  /// The path, which begins with a slash.
  public let path: String
  /// Whether the address contains a user name or password.
  public let namesUser: Bool
  /// Whether the address contains a query or a fragment.
  public let hasQuery: Bool

  /// Returns `nil` if `text` is not an address to which libcurl can connect over HTTP.
  public init?(_ text: String) {
    // libcurl also accepts an address with a third slash, or with a colon but no port.
    guard let scheme = ["https://", "http://"].first(where: text.lowercased().hasPrefix) else {
      return nil
    }
    let authority = text.dropFirst(scheme.utf8.count).prefix { $0 != "/" }
    guard !authority.isEmpty, !authority.hasSuffix(":"), let url = unsafe curl_url() else {
      return nil
    }
    defer { unsafe curl_url_cleanup(url) }
    guard unsafe curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK,
      let host = unsafe Self.part(CURLUPART_HOST, of: url)
    else { return nil }
    if let text = unsafe Self.part(CURLUPART_PORT, of: url) {
      guard let number = UInt16(text), number > 0 else { return nil }
      port = number
    } else {
      port = nil
    }
    isEncrypted = scheme == "https://"
    if let zone = unsafe Self.part(CURLUPART_ZONEID, of: url) {
      self.host = "\(host.dropLast())%25\(zone)]"
    } else {
      self.host = host
    }
    path = unsafe Self.part(CURLUPART_PATH, of: url) ?? "/"
    namesUser =
      unsafe Self.part(CURLUPART_USER, of: url) != nil
      || Self.part(CURLUPART_PASSWORD, of: url) != nil
    hasQuery =
      unsafe Self.part(CURLUPART_QUERY, of: url) != nil
      || Self.part(CURLUPART_FRAGMENT, of: url) != nil || text.hasSuffix("?") || text.hasSuffix("#")
  }

  private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard unsafe curl_url_get(url, part, &text, 0) == CURLUE_OK, let text = unsafe text else {
      return nil
    }
    defer { unsafe curl_free(text) }
    return unsafe String(cString: text)
  }
}
