internal import HTTPServer

/// Which rights an address needs.
enum PageRoute {
  private static let prefix = "/api/v1/"

  /// Whether a path is of the interface or a tile, and not a file of the page.
  static func isCall(_ path: String) -> Bool {
    path.hasPrefix("/api/") || path == "/tiles" || path.hasPrefix("/tiles/")
  }

  /// The first part of a path of the interface.
  static func name(of path: String) -> String? {
    guard path.hasPrefix(prefix) else { return nil }
    return String(path.dropFirst(prefix.utf8.count))
  }

  /// The methods of an address; `nil` for one that the page does not have.
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
      ("doctor", 1, _), ("formats", 1, _), ("sessions", 1...2, _):
      return ["GET", "HEAD"]
    case ("sessions", 3, "envelope"), ("sessions", 3, "track"): return ["GET", "HEAD"]
    case ("sessions", 3, "export"): return ["GET"]
    case ("sessions", 3, "hazards"), ("sessions", 3, "notes"), ("sessions", 3, "edit"),
      ("sessions", 3, "delete"):
      return ["POST"]
    default: return nil
    }
  }

  /// What a call needs; `nil` if anybody may make it who reaches this server.
  static func role(for head: RequestHead) -> AccessRole? {
    switch (head.method, name(of: head.path)) {
    case ("GET", "access"), ("HEAD", "access"), ("POST", "pair"), ("POST", "leave"): nil
    case ("POST", _): .operate
    default: .look
    }
  }
}
