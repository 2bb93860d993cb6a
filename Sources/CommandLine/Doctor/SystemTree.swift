internal import LinuxSystem

/// Read-only access to the files that describe the kernel and the system, below `/` or another
/// folder.
///
/// Paths are given as on the computer itself, such as `/sys/class/rtc`, without the folder that
/// replaces `/`.
struct SystemTree: Sendable {
  /// The folder that replaces `/`, without a trailing slash.
  private let root: String

  /// Creates the tree of this computer, or a tree below another folder.
  init(below root: String = "") {
    self.root = root.isEmpty ? "" : PathPattern.target(of: root)
  }

  /// Returns a file's text; `nil` if it does not exist or this user may not read it.
  func text(_ path: String) -> String? { WholeFile.text(root + path) }

  /// Returns the trimmed text of a file with a single value; `nil` if it does not exist.
  func line(_ path: String) -> String? {
    text(path).map { text in
      text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }

  /// Returns the decimal number in a file.
  func number(_ path: String) -> Int? { line(path).flatMap { Int($0) } }

  /// Returns the hexadecimal numbers in a file, with or without `0x`.
  func hexadecimals(_ path: String) -> [Int] {
    (line(path) ?? "").split(separator: " ").compactMap {
      Int($0.hasPrefix("0x") ? $0.dropFirst(2) : $0, radix: 16)
    }
  }

  /// Returns the sorted names in a folder; empty if the folder does not exist.
  func names(_ path: String) -> [String] { ((try? Folder.names(in: root + path)) ?? []).sorted() }

  func exists(_ path: String) -> Bool { Folder.exists(root + path) }

  /// Returns the final target of a link, or the path itself if it is not a link.
  func target(_ path: String) -> String {
    let real = PathPattern.target(of: root + path)
    return real.hasPrefix(root) ? String(real.dropFirst(root.count)) : real
  }

  /// Returns the existing paths that match a pattern, sorted by name.
  func matches(_ pattern: String) -> [String] {
    PathPattern.matches(root + pattern).map { String($0.dropFirst(root.count)) }
  }

  /// Returns the target stored in a link; the target need not exist. Returns an empty string if the
  /// path is not a link.
  func link(_ path: String) -> String { ThisProcess.target(ofLink: root + path) }

  /// Returns the last component of a link's target; `nil` if the path is not a link.
  func name(ofLink path: String) -> String? {
    let words = link(path)
    return words.isEmpty ? nil : Folder.name(of: words)
  }

  /// Returns a file's owner and permissions.
  func facts(_ path: String) -> FileFacts? { FileFacts(root + path) }

  /// Returns whether this process may read and write a file.
  func isUsable(_ path: String) -> Bool {
    FileFacts.refusal(root + path, writing: true) == nil
  }

  /// Returns the ids of the processes with this name.
  func processes(named name: String) -> [Int] {
    // The kernel truncates process names to 15 bytes.
    let name = String(name.prefix(15))
    return names("/proc").compactMap { Int($0) }.filter { line("/proc/\($0)/comm") == name }
  }
}
