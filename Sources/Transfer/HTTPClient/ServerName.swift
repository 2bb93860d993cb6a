/// Host and port of an address. Only these may be shown, since the rest may contain secrets.
struct ServerName: CustomStringConvertible {
  /// `host:port`, the port also where the address leaves it out.
  let description: String
  /// The host alone.
  let host: String
  /// Whether the connection is encrypted.
  let isEncrypted: Bool

  /// The server of an address; `nil` if libcurl cannot connect to it, or if it names a user.
  init?(url: String) {
    guard let address = WebAddress(url), !address.namesUser else { return nil }
    host = address.host
    isEncrypted = address.isEncrypted
    description = "\(host):\(address.port ?? (isEncrypted ? 443 : 80))"
  }
}
