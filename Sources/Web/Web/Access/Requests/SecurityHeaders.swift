/// The header fields that protect the page in a browser. Every response contains them.
public enum SecurityHeaders {
  /// Kinds of content, distinguished by who may cache them.
  public enum Content: CaseIterable, Sendable {
    /// The page, its script and its style sheet. Browsers revalidate them each time, because an
    /// update may have changed them.
    case page
    /// An API response, a stream of events or a download. It is never cached, because several
    /// people may share a phone.
    case answer
    /// A map tile, which never changes. A browser may cache the tile for a day; a proxy must not
    /// cache it.
    case tile

    /// The value of `Cache-Control`.
    public var caching: String {
      switch self {
      case .page: "no-cache"
      case .answer: "no-store"
      case .tile: "private, max-age=86400"
      }
    }
  }

  /// Blocks content from other sites, blocks inline scripts and styles, and prevents the page from
  /// being shown in a frame.
  public static let contentSecurityPolicy = [
    "default-src 'self'", "img-src 'self' data: blob:", "style-src 'self'", "script-src 'self'",
    "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
  ].joined(separator: "; ")

  public static func fields(for content: Content) -> [(name: String, value: String)] {
    [
      ("Content-Security-Policy", contentSecurityPolicy),
      ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "no-referrer"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Cache-Control", content.caching),
    ]
  }
}
