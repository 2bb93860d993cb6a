internal import Glibc

/// Matches paths against patterns with shell wildcards.
public enum PathPattern {
  public static func isPattern(_ path: String) -> Bool {
    path.contains { "*?[".contains($0) }
  }

  /// Returns the existing paths that match, sorted by name. A path without wildcards matches only
  /// if it exists.
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

  /// Returns a link's final target. Returns the path itself if it is not a link or if its target
  /// does not exist.
  public static func target(of path: String) -> String {
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }
}
