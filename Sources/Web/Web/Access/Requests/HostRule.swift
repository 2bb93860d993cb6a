/// Determines which names and addresses belong to this gateway.
///
/// Another site can point its own name at this computer's address (DNS rebinding). The browser then
/// treats this server's responses as coming from that site. Only the name in `Host` reveals the
/// attack, so every request is checked, even on loopback.
public struct HostRule: Hashable, Sendable {
  /// The port that the server listens on.
  public let port: UInt16
  /// Whether the server itself uses TLS.
  public let isEncrypted: Bool
  private let computers: Set<WebOrigin.Computer>
  private let proxied: Set<WebOrigin>

  /// - Parameters:
  ///   - computer: The computer's name, which mDNS announces as `NAME.local`; may be empty.
  ///   - names: Names that the user configured. `walks.example.org` is a name of this server, with
  ///     this server's port. `https://walks.example.org` is the address of a proxy in front of it.
  public init(port: UInt16, isEncrypted: Bool, computer: String, names: [String] = []) {
    self.port = port
    self.isEncrypted = isEncrypted
    // mDNS announces only the first part of a full name such as trail-1.example.org.
    let announced = computer.split(separator: ".").prefix(1).map { "\($0).local" }
    let all = (["localhost"] + announced + names).compactMap {
      WebOrigin(host: $0, isEncrypted: false)
    }
    computers = Set(all.map(\.computer))
    proxied = Set(names.compactMap { WebOrigin($0) })
  }

  /// Returns whether a string is valid as a configured name.
  public static func isName(_ text: String) -> Bool {
    if WebOrigin(text) != nil { return true }
    // If no port is given, the server's own port applies.
    return (!text.contains(":") || text.hasSuffix("]"))
      && WebOrigin(host: text, isEncrypted: false) != nil
  }

  /// Returns the origin of this server's page, for a request with these `Host` fields.
  ///
  /// - Parameter addresses: This computer's current addresses, or the address that the client used
  ///   to reach it. Loopback addresses can be omitted.
  public func origin(
    ofHosts hosts: [String], addresses: Set<NumericAddress>
  ) throws(AccessRefusal) -> WebOrigin {
    guard hosts.count == 1, let host = hosts.first, !host.isEmpty else { throw .hostMissing }
    // A proxy in front of this server may use another scheme and port.
    for isEncrypted in [true, false] {
      if let origin = WebOrigin(host: host, isEncrypted: isEncrypted), proxied.contains(origin) {
        return origin
      }
    }
    guard let origin = WebOrigin(host: host, isEncrypted: isEncrypted), origin.port == port else {
      throw .foreignHost(host)
    }
    if case .address(let address) = origin.computer,
      address.isLoopback || addresses.contains(address)
    {
      return origin
    }
    guard computers.contains(origin.computer) else { throw .foreignHost(host) }
    return origin
  }
}
