/// The parts of a request that are checked before it is handled.
public struct RequestFacts: Hashable, Sendable {
  /// The method, such as `GET` or `POST`.
  public var method: String
  /// Whether the request is for the API or a tile, rather than for the page itself. Other sites may
  /// link to the page, but to nothing else.
  public var isCall: Bool
  /// The values of all `Host` fields.
  public var hosts: [String]
  /// The values of all `Origin` fields.
  public var origins: [String]
  /// The values of all `Content-Type` fields.
  public var contentTypes: [String]
  /// The values of all `Sec-Fetch-Site` fields.
  public var fetchSites: [String]

  /// - Parameter values: Returns the values of all fields with the given name.
  public init(method: String, isCall: Bool, values: (_ name: String) -> [String]) {
    self.method = method
    self.isCall = isCall
    hosts = values("Host")
    origins = values("Origin")
    contentTypes = values("Content-Type")
    fetchSites = values("Sec-Fetch-Site")
  }
}

/// Checks that a request comes from this server's page. Whether the browser is paired is checked
/// later.
///
///     let rule = RequestRule(HostRule(port: 8080, isEncrypted: false, computer: "trail-1"))
///     let command = RequestFacts(method: "POST", isCall: true) { fields[$0] ?? [] }
///     try rule.check(command, addresses: [])
public struct RequestRule: Hashable, Sendable {
  public let host: HostRule

  public init(_ host: HostRule) {
    self.host = host
  }

  /// Throws unless a request comes from this server's page, or from no page at all.
  ///
  /// - Parameter addresses: the same as for `HostRule.origin`.
  public func check(
    _ request: RequestFacts, addresses: Set<NumericAddress>
  ) throws(AccessRefusal) {
    let own = try host.origin(ofHosts: request.hosts, addresses: addresses)
    switch request.method {
    case "GET", "HEAD":
      // 'none' means that the user typed the address, or followed a link in an email.
      let mayBeForeign = !request.isCall
      guard mayBeForeign || isOwn(request.fetchSites, or: "none") else { throw .foreignSite }
    case "POST":
      guard isOwn(request.fetchSites) else { throw .foreignSite }
      guard let origin = request.origins.first else { throw .originMissing }
      guard request.origins.count == 1, WebOrigin(origin) == own else {
        throw .foreignOrigin(origin)
      }
      guard request.contentTypes.count == 1, Self.isJSON(request.contentTypes[0]) else {
        throw .notJSON
      }
    default:
      // The OPTIONS method is also refused. Browsers use it for preflight requests, which ask
      // whether another site may make a call.
      throw .unknownMethod
    }
  }

  /// Returns whether the browser reports this server's page as the source. Also returns `true` if
  /// the browser reports no source. Browsers report none over plain HTTP, and older browsers never
  /// report one.
  private func isOwn(_ sites: [String], or other: String = "same-origin") -> Bool {
    sites.allSatisfy { $0 == "same-origin" || $0 == other }
  }

  /// Returns whether a content type is `application/json`, with or without UTF-8 as its charset.
  private static func isJSON(_ type: String) -> Bool {
    guard type.utf8.count <= 200 else { return false }
    var parts = type.lowercased().split(separator: ";", omittingEmptySubsequences: false)
      .map(trimmed)
    guard parts.removeFirst() == "application/json" else { return false }
    return parts.isEmpty
      || parts.count == 1
        && ["charset=utf-8", "charset=\"utf-8\""].contains(parts[0])
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    let end = start.lastIndex { $0 != " " && $0 != "\t" }
    return end.map { start[...$0] } ?? ""
  }
}
