internal import HTTPServer
internal import WebAccess

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

  /// What a call needs; `nil` if anybody may make it who reaches this server.
  static func role(for head: RequestHead) -> AccessRole? {
    switch (head.method, name(of: head.path)) {
    case ("GET", "access"), ("HEAD", "access"), ("POST", "pair"), ("POST", "leave"): nil
    case ("POST", _): .operate
    default: .look
    }
  }
}
