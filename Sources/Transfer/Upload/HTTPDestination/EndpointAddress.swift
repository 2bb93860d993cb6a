internal import HTTPClient

/// The address of an endpoint as users type it, made one: what means the same is the same text.
public struct EndpointAddress: Hashable, Sendable {
  /// Why an address cannot be used.
  public enum Misfit: Error, Hashable, Sendable {
    /// It is no address of the kind `https://HOST[:PORT][/PATH]`.
    case noAddress
    /// It has a user's name or password in it, which would be kept where everybody sees it.
    case hasSecret
    /// It has a part after `?` or `#`, which an endpoint has not.
    case hasQuery
  }

  /// The address: scheme and host in lower case, no slash at the end, no port that goes without
  /// saying.
  public let text: String
  /// Whether everybody on the way can read what is sent there.
  public let isPlain: Bool
  /// Whether it is on this computer.
  public let isLocal: Bool

  /// The address that somebody typed.
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
