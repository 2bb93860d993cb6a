/// The host and port in a URL. Only these may be shown, because the path and the query may contain
/// secrets.
struct ServerName: CustomStringConvertible {
  /// The host and port as `host:port`. If the URL omits the port, the string contains the default
  /// port.
  let description: String
  let host: String
  let isEncrypted: Bool

  /// Returns `nil` if libcurl cannot connect to the URL or if the URL contains a user name.
  init?(url: String) {
    guard let address = WebAddress(url), !address.namesUser else { return nil }
    host = address.host
    isEncrypted = address.isEncrypted
    description = "\(host):\(address.port ?? (isEncrypted ? 443 : 80))"
  }
}
