internal import LinuxSystem

/// The files that describe the kernel and the system, below `/` or another folder.
///
/// It reads, and changes nothing. Paths are those of the computer, as in `/sys/class/rtc`.
struct SystemTree: Sendable {
  /// The folder that stands for `/`, without a slash at its end.
  private let root: String

  /// The tree of the computer, or one below a folder.
  init(below root: String = "") {
    self.root = root.isEmpty ? "" : PathPattern.target(of: root)
  }

  /// The text of a file; `nil` if there is none, or this user may not read it.
  func text(_ path: String) -> String? { WholeFile.text(root + path) }

  /// The words of a file that says one thing; `nil` if there is none.
  func line(_ path: String) -> String? {
    text(path).map { text in
      text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }

  /// The number in a file, in decimal.
  func number(_ path: String) -> Int? { line(path).flatMap { Int($0) } }

  /// The numbers in a file, in hexadecimal, with `0x` or without.
  func hexadecimals(_ path: String) -> [Int] {
    (line(path) ?? "").split(separator: " ").compactMap {
      Int($0.hasPrefix("0x") ? $0.dropFirst(2) : $0, radix: 16)
    }
  }

  /// The names in a folder, in their order; none if there is no such folder.
  func names(_ path: String) -> [String] { ((try? Folder.names(in: root + path)) ?? []).sorted() }

  func exists(_ path: String) -> Bool { Folder.exists(root + path) }

  /// The final target of a link; the path itself if it is not a link.
  func target(_ path: String) -> String {
    let real = PathPattern.target(of: root + path)
    return real.hasPrefix(root) ? String(real.dropFirst(root.count)) : real
  }

  /// The existing paths that match a pattern, in the order of their names.
  func matches(_ pattern: String) -> [String] {
    PathPattern.matches(root + pattern).map { String($0.dropFirst(root.count)) }
  }

  /// The text of a link, which need not lead anywhere; empty if the path is not a link.
  func link(_ path: String) -> String { ThisProcess.target(ofLink: root + path) }

  /// The last name in the target of a link; `nil` if the path is not a link.
  func name(ofLink path: String) -> String? {
    let words = link(path)
    return words.isEmpty ? nil : Folder.name(of: words)
  }

  /// Owner and rights of a file.
  func facts(_ path: String) -> FileFacts? { FileFacts(root + path) }

  /// Whether this process may read and write a file.
  func isUsable(_ path: String) -> Bool {
    FileFacts.refusal(root + path, writing: true) == nil
  }

  /// The ids of processes with this name.
  func processes(named name: String) -> [Int] {
    // The kernel keeps 15 bytes of a name.
    let name = String(name.prefix(15))
    return names("/proc").compactMap { Int($0) }.filter { line("/proc/\($0)/comm") == name }
  }
}
