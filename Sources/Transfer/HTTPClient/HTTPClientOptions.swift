internal import LinuxSystem

/// Settings of a client: proxy, certificates, timeouts and the sending limit.
public struct HTTPClientOptions: Hashable, Sendable {
  /// The way to the servers.
  public enum Proxy: Hashable, Sendable {
    /// As the variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say.
    case environment
    /// Directly, whatever the environment says.
    case none
    /// Through this proxy, whatever the environment says.
    case address(String)
  }

  /// The client's name in requests, such as `footbridge/0.1.0`.
  public var agent = "footbridge"
  /// A file of certificate authorities to trust instead of the system's.
  public var authorityFile: String?
  /// A file with our own certificate, for servers that require one.
  public var certificateFile: String?
  public var certificateKeyFile: String?
  public var proxy = Proxy.environment
  /// Seconds that connecting may take, from the name look-up to the end of the handshake.
  public var connectSeconds = 20.0
  /// Seconds after which a request is given up if no byte has moved in either direction. The whole
  /// transfer has no limit: a slow line may take as long as it needs.
  public var stallSeconds = 60.0
  /// Seconds in which the answer must be complete once the request is sent, or grow by another KiB.
  /// A server that answers byte by byte must not hold a request for ever.
  public var answerSeconds = 600.0
  /// Bytes a second that all requests together may send, heads included; `nil` for no limit.
  public var bytesPerSecond: Int?
  /// Signs requests; `nil` leaves them unsigned.
  public var signer: AWSSigner?
  /// The largest answer in bytes, unpacked.
  public var largestAnswer = 32 << 20

  /// Whether a proxy may be in between.
  var mayUseProxy: Bool {
    switch proxy {
    case .none: false
    case .address: true
    case .environment:
      ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains {
        Environment.variables[$0]?.isEmpty == false
      }
    }
  }

  /// The hosts to reach without the environment's proxy: those of `no_proxy`, and this computer.
  /// Otherwise a token sent to this computer would reach the proxy in clear.
  var directHosts: String {
    let named = ["no_proxy", "NO_PROXY"].lazy.compactMap { Environment.variables[$0] }
      .first { !$0.isEmpty }
    guard named != "*" else { return "*" }
    return ([named].compactMap(\.self) + ["localhost", "127.0.0.0/8", "::1"])
      .joined(separator: ",")
  }

  /// The system's authorities, the environment's proxy, no limit.
  public init() {}
}
