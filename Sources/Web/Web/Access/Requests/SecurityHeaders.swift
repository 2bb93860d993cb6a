/// Header fields for the browser in every answer of the page.
public enum SecurityHeaders {
  /// Kinds of answers, by who may cache them.
  public enum Content: CaseIterable, Sendable {
    /// The page, its script and its style sheet: revalidated each time, since an update may have
    /// changed them.
    case page
    /// An API answer, a stream of events or a download: never cached, in case several people share
    /// a phone.
    case answer
    /// A map tile, which does not change: cached by the browser for a day, and by no proxy.
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

  /// Nothing from other sites, no inline script or style, and no frame around the page.
  public static let contentSecurityPolicy = [
    "default-src 'self'", "img-src 'self' data: blob:", "style-src 'self'", "script-src 'self'",
    "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
  ].joined(separator: "; ")

  /// The fields for an answer.
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
