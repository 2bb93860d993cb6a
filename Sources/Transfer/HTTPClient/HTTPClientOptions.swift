internal import LinuxSystem

/// How a client reaches servers, whom it trusts and how much it may send.
public struct HTTPClientOptions: Hashable, Sendable {
  /// By which way.
  public enum Proxy: Hashable, Sendable {
    /// As `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say.
    case environment
    /// Directly, whatever the environment says.
    case none
    /// Through this one, whatever the environment says.
    case address(String)
  }

  /// What it calls itself, as `footbridge/0.1.0`.
  public var agent = "footbridge"
  /// Certificates to trust in place of the system's; a file.
  public var authorityFile: String?
  /// Our own certificate, for servers that want one; a file.
  public var certificateFile: String?
  /// The key of our own certificate; a file.
  public var certificateKeyFile: String?
  /// The way out.
  public var proxy = Proxy.environment
  /// Seconds in which a connection must stand, from the name's look-up to the end of the handshake.
  public var connectSeconds = 20.0
  /// Seconds without a byte moving either way, after which a request is given up. There is no limit
  /// to the whole: a slow line is used for as long as it takes.
  public var stallSeconds = 60.0
  /// Seconds in which the answer must be whole once the request has gone, or get on by another KiB:
  /// a server that answers byte by byte must not hold a request for ever.
  public var answerSeconds = 600.0
  /// Bytes a second that all requests together may send, heads included; `nil` for no limit.
  public var bytesPerSecond: Int?
  /// Bytes of an unpacked answer at most.
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

  /// The system's authorities, the environment's proxy, no limit.
  public init() {}
}
