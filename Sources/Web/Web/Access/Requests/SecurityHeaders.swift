/// The fields that every answer of the page carries for the browser.
public enum SecurityHeaders {
  /// What an answer is, which decides who may keep it.
  public enum Content: CaseIterable, Sendable {
    /// The page, its script and its style sheet: asked for again each time, since another release
    /// may have changed them.
    case page
    /// An answer of the interface, a stream of events or a download: never kept, also not on a
    /// phone that goes from hand to hand.
    case answer
    /// A tile of a map, which does not change: kept by the browser for a day, and by no proxy.
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

  /// Nothing from elsewhere, no script or style within the page, and no frame around it.
  public static let contentSecurityPolicy = [
    "default-src 'self'", "img-src 'self' data: blob:", "style-src 'self'", "script-src 'self'",
    "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
  ].joined(separator: "; ")

  /// The names and values for an answer.
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
