internal import Glibc

/// Paths with wildcards, as in a shell.
public enum PathPattern {
  /// Whether a text contains wildcards.
  public static func isPattern(_ path: String) -> Bool {
    path.contains { "*?[".contains($0) }
  }

  /// The existing paths that match, in the order of their names; none for a missing path without
  /// wildcards.
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

  /// The final target of a link; the path itself if there is no link or no target.
  public static func target(of path: String) -> String {
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }
}
