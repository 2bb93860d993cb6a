internal import HTTPServer

/// Determines which rights an address requires.
enum PageRoute {
  private static let prefix = "/api/v1/"

  /// Returns whether a path belongs to the API or to a tile, rather than to a file of the page.
  static func isCall(_ path: String) -> Bool {
    path.hasPrefix("/api/") || path == "/tiles" || path.hasPrefix("/tiles/")
  }

  /// Returns the path below `/api/v1/`; `nil` for other paths.
  static func name(of path: String) -> String? {
    guard path.hasPrefix(prefix) else { return nil }
    return String(path.dropFirst(prefix.utf8.count))
  }

  /// Returns the methods that an address supports; `nil` if it is not listed here.
  static func methods(of path: String) -> [String]? {
    guard isCall(path) else { return ["GET", "HEAD"] }
    guard let name = name(of: path) else {
      return path == "/tiles" || path.hasPrefix("/tiles/") ? ["GET", "HEAD"] : nil
    }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    switch (parts.first, parts.count, parts.last) {
    case ("pair", 1, _), ("leave", 1, _), ("recording", 1, _): return ["POST"]
    case ("stream", 1, _), ("live", 1, _): return ["GET"]
    case ("access", 1, _), ("status", 1, _), ("hazards", 1, _), ("definitions", 1, _),
      ("doctor", 1, _), ("formats", 1, _), ("routes", 1, _), ("others", 1, _),
      ("sessions", 1...2, _):
      return ["GET", "HEAD"]
    case ("sessions", 3, "envelope"), ("sessions", 3, "track"): return ["GET", "HEAD"]
    // A download's size is not known until it ends.
    case ("sessions", 3, "export"): return ["GET"]
    case ("sessions", 3, "tasks"): return ["GET", "HEAD", "POST"]
    case ("sessions", 3, "hazards"), ("sessions", 3, "notes"), ("sessions", 3, "survey"),
      ("sessions", 3, "edit"), ("sessions", 3, "delete"):
      return ["POST"]
    default: return nil
    }
  }

  /// Returns the role required for a call; `nil` if anyone who can reach this server may make the
  /// call.
  static func role(for head: RequestHead) -> AccessRole? {
    switch (head.method, name(of: head.path)) {
    case ("GET", "access"), ("HEAD", "access"), ("POST", "pair"), ("POST", "leave"): nil
    case ("POST", _): .operate
    default: .look
    }
  }
}
