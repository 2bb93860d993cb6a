internal import Glibc

/// Paths with wildcards, as a shell has them.
public enum PathPattern {
  /// Whether a text has wildcards at all.
  public static func isPattern(_ path: String) -> Bool {
    path.contains { "*?[".contains($0) }
  }

  /// The paths that are there and fit, in the order of their names; none for a path without
  /// wildcards that is not there.
  public static func matches(_ pattern: String) -> [String] {
    var found = unsafe glob_t()
    defer { unsafe globfree(&found) }
    guard unsafe glob(pattern, 0, nil, &found) == 0, let paths = unsafe found.gl_pathv else {
      return []
    }
    return unsafe (0..<Int(found.gl_pathc)).compactMap { index in
      unsafe paths[index].map { unsafe String(cString: $0) }
    }
  }

  /// The path that a link leads to in the end; the path itself where there is no link, or nothing.
  public static func target(of path: String) -> String {
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }
}
