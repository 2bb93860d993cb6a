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
    guard let scheme = ["https://", "http://"].first(where: typed.lowercased().hasPrefix) else {
      throw .noAddress
    }
    let rest = typed.dropFirst(scheme.utf8.count)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    guard !rest[..<end].contains("@") else { throw .hasSecret }
    guard !rest.contains("?"), !rest.contains("#") else { throw .hasQuery }
    guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x5c }) else {
      throw .noAddress
    }
    var host = rest[..<end].lowercased()
    if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
      let port = host[host.index(after: colon)...]
      guard let number = UInt16(port), number > 0, port.utf8.allSatisfy({ $0 != 0x2b }) else {
        throw .noAddress
      }
      let usual = scheme == "https://" ? 443 : 80
      host = host[..<colon] + (number == usual ? "" : ":\(number)")
    }
    guard Self.isHost(host) else { throw .noAddress }
    var path = String(rest[end...])
    while path.hasSuffix("/") { path.removeLast() }
    text = scheme + host + path
    isPlain = scheme == "http://"
    let name = host.hasPrefix("[") ? host : String(host.prefix { $0 != ":" })
    isLocal = name == "localhost" || name.hasPrefix("127.") || name.hasPrefix("[::1]")
  }

  private static func isHost(_ host: String) -> Bool {
    if host.hasPrefix("[") {
      guard let close = host.firstIndex(of: "]") else { return false }
      let rest = host[host.index(after: close)...]
      return host[..<close].utf8.count > 2 && (rest.isEmpty || rest.hasPrefix(":"))
    }
    let name = host.prefix { $0 != ":" }
    return !name.isEmpty && !host.dropFirst(name.count + 1).contains(":")
      && name.utf8.allSatisfy { $0 != 0x5b && $0 != 0x5d && $0 != 0x3c && $0 != 0x3e }
  }
}
