internal import HTTPClient

/// The URL of an endpoint in canonical form. Different spellings of the same URL result in the same
/// string.
public struct EndpointAddress: Hashable, Sendable {
  /// The reason a URL cannot be used as an endpoint.
  public enum Misfit: Error, Hashable, Sendable {
    /// The string is not a URL of the form `https://HOST[:PORT][/PATH]`.
    case noAddress
    /// The URL contains a user name or a password, which would be stored in plain text.
    case hasSecret
    /// The URL contains a query or a fragment, which endpoints do not use.
    case hasQuery
  }

  /// The URL with its scheme and host in lower case, and without a trailing slash or the default
  /// port.
  public let text: String
  /// Whether data are sent to the endpoint unencrypted.
  public let isPlain: Bool
  /// Whether the endpoint is on this computer.
  public let isLocal: Bool

  /// Parses a URL that the user typed.
  public init(_ typed: String) throws(Misfit) {
    guard typed.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x5c }),
      let address = WebAddress(typed)
    else { throw .noAddress }
    guard !address.namesUser else { throw .hasSecret }
    guard !address.hasQuery else { throw .hasQuery }
    let host = address.host.lowercased()
    let usualPort: UInt16 = address.isEncrypted ? 443 : 80
    let port = address.port.flatMap { $0 == usualPort ? nil : ":\($0)" } ?? ""
    var path = address.path
    while path.hasSuffix("/") { path.removeLast() }
    text = (address.isEncrypted ? "https://" : "http://") + host + port + path
    isPlain = !address.isEncrypted
    isLocal = host == "localhost" || host.hasPrefix("127.") || host == "[::1]"
  }
}
