internal import CLinux
internal import Glibc

/// The address on which a server listens: a numeric address of this computer and a port.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// The numeric address, such as `127.0.0.1` or `::1`.
  public var host: String
  /// The port number; 0 selects a free port.
  public var port: UInt16

  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Parses `ADDRESS:PORT`, with an IPv6 address in brackets. `localhost` is read as 127.0.0.1.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
      let port = UInt16(digits)
    else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
      guard host.contains(":") else { return nil }
    } else if host == "localhost" {
      host = "127.0.0.1"
    } else if host.contains(":") {
      return nil
    }
    self.init(host: host, port: port)
    var bytes = [UInt8](repeating: 0, count: 16)
    guard unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, host, &bytes) == 1 else { return nil }
  }

  public var isIPv6: Bool { host.contains(":") }

  /// Whether only programs on this computer can connect to the address.
  public var isLoopback: Bool { isIPv6 ? host == "::1" : host.hasPrefix("127.") }

  /// The address as it appears in a URL.
  public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
