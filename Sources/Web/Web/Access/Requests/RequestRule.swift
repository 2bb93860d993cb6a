/// The fields by which a request is checked, before anything is done for it.
public struct RequestFacts: Hashable, Sendable {
  /// `GET`, `POST` and so on.
  public var method: String
  /// Whether it is an API call or a tile, not the page itself. Links on other sites may lead to the
  /// page, and to nothing else.
  public var isCall: Bool
  /// The values of each field `Host`.
  public var hosts: [String]
  /// The values of each field `Origin`.
  public var origins: [String]
  /// The values of each field `Content-Type`.
  public var contentTypes: [String]
  /// The values of each field `Sec-Fetch-Site`.
  public var fetchSites: [String]

  ///
  /// - Parameter values: returns the values of all fields with a name.
  public init(method: String, isCall: Bool, values: (_ name: String) -> [String]) {
    self.method = method
    self.isCall = isCall
    hosts = values("Host")
    origins = values("Origin")
    contentTypes = values("Content-Type")
    fetchSites = values("Sec-Fetch-Site")
  }
}

/// Decides which requests come from our own page, from any sender. Whether the browser is paired is
/// checked after this.
///
///     let rule = RequestRule(HostRule(port: 8080, isEncrypted: false, computer: "trail-1"))
///     let command = RequestFacts(method: "POST", isCall: true) { fields[$0] ?? [] }
///     try rule.check(command, addresses: [])
public struct RequestRule: Hashable, Sendable {
  /// The rule for names and addresses.
  public let host: HostRule

  public init(_ host: HostRule) {
    self.host = host
  }

  /// Throws unless a request comes from our own page, or from no page at all.
  ///
  /// - Parameter addresses: as for `HostRule.origin`.
  public func check(
    _ request: RequestFacts, addresses: Set<NumericAddress>
  ) throws(AccessRefusal) {
    let own = try host.origin(ofHosts: request.hosts, addresses: addresses)
    switch request.method {
    case "GET", "HEAD":
      // 'none' is an address typed by the user, or a link in a mail.
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
      // Also OPTIONS: a browser that asks whether another site may call gets a refusal.
      throw .unknownMethod
    }
  }

  /// Whether the browser reports its own page as the source. Browsers report nothing over plain
  /// HTTP, and older ones never do.
  private func isOwn(_ sites: [String], or other: String = "same-origin") -> Bool {
    sites.allSatisfy { $0 == "same-origin" || $0 == other }
  }

  /// Whether a content type is `application/json`, alone or with the only charset that JSON
  /// permits.
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
