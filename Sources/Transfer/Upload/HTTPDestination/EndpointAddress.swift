internal import HTTPClient

/// The address of an endpoint in canonical form: different spellings of the same endpoint result in
/// the same text.
public struct EndpointAddress: Hashable, Sendable {
  /// The reason why an address cannot be used.
  public enum Misfit: Error, Hashable, Sendable {
    /// It is not an address of the form `https://HOST[:PORT][/PATH]`.
    case noAddress
    /// It contains a user name or password, which the store would keep readable.
    case hasSecret
    /// It has a part after `?` or `#`; endpoints have none.
    case hasQuery
  }

  /// The address: scheme and host in lower case, without a slash at the end or the usual port.
  public let text: String
  /// Whether data goes there unencrypted.
  public let isPlain: Bool
  /// Whether the endpoint is on this computer.
  public let isLocal: Bool

  /// Reads the address that a user typed.
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
