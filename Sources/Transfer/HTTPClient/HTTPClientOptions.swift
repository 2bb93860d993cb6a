internal import LinuxSystem

/// A client's settings: proxy, certificates, timeouts and the rate limit.
public struct HTTPClientOptions: Hashable, Sendable {
  /// Determines whether requests go through a proxy.
  public enum Proxy: Hashable, Sendable {
    /// Use the proxies in the variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
    case environment
    /// Connect directly, regardless of the environment.
    case none
    /// Use the proxy at this address, regardless of the environment.
    case address(String)
  }

  /// The User-Agent field of requests, such as `footbridge/0.1.0`.
  public var agent = "footbridge"
  /// A file of certificate authorities to trust instead of the system's.
  public var authorityFile: String?
  /// A file with the client certificate, for servers that require one.
  public var certificateFile: String?
  public var certificateKeyFile: String?
  public var proxy = Proxy.environment
  /// The maximum time for connecting, in seconds, from the name lookup to the end of the handshake.
  public var connectSeconds = 20.0
  /// Seconds without any traffic after which a request times out. The transfer as a whole has no
  /// time limit, so a slow line can take as long as it needs.
  public var stallSeconds = 60.0
  /// The maximum time for the response, in seconds, once the request has been sent. This timeout
  /// restarts each time another KiB has arrived. A server that sends single bytes therefore cannot
  /// keep a request open forever.
  public var answerSeconds = 600.0
  /// The maximum combined sending rate of all requests, including their heads, in bytes per second;
  /// `nil` for no limit.
  public var bytesPerSecond: Int?
  /// Signs requests; `nil` to leave them unsigned.
  public var signer: AWSSigner?
  /// The maximum size of a response in bytes, after decompression.
  public var largestAnswer = 32 << 20

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

  /// The hosts to which the client connects directly even if the environment specifies a proxy:
  /// those in `no_proxy`, and this computer. Otherwise, a token sent to this computer would reach
  /// the proxy in plain text.
  var directHosts: String {
    let named = ["no_proxy", "NO_PROXY"].lazy.compactMap { Environment.variables[$0] }
      .first { !$0.isEmpty }
    guard named != "*" else { return "*" }
    return ([named].compactMap(\.self) + ["localhost", "127.0.0.0/8", "::1"])
      .joined(separator: ",")
  }

  public init() {}
}
