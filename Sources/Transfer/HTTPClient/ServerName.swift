/// Host and port of an address: all of it that may be shown, for the rest may hold what is secret.
struct ServerName: CustomStringConvertible {
  /// `host:port`, the port also where the address leaves it out.
  let description: String
  /// The host alone.
  let host: String
  /// Whether the connection is encrypted.
  let isEncrypted: Bool

  /// The server of an address; `nil` if it is none that can be asked over HTTP, or names a user.
  init?(url: String) {
    let text = url.utf8
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")),
      text[colon...].starts(with: "://".utf8),
      !text.contains(where: { $0 <= 0x20 || $0 == 0x7f })
    else { return nil }
    switch url[..<colon].lowercased() {
    case "http": isEncrypted = false
    case "https": isEncrypted = true
    default: return nil
    }
    let rest = url[text.index(colon, offsetBy: 3)...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" && $0 != "\\" }
    guard !authority.isEmpty, !authority.contains("@") else { return nil }
    // A colon within brackets belongs to an IPv6 address.
    let port = authority.lastIndex(of: ":").flatMap { colon in
      authority[colon...].contains("]") ? nil : colon
    }
    let host = port.map { authority[..<$0] } ?? authority
    guard !host.isEmpty else { return nil }
    self.host = String(host)
    if let port {
      guard UInt16(authority[authority.index(after: port)...]) != nil else { return nil }
      description = String(authority)
    } else {
      description = "\(host):\(isEncrypted ? 443 : 80)"
    }
  }
}
