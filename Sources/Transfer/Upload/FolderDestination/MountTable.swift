internal import Glibc
internal import LinuxSystem

/// The mount points that the system is configured to have, and those in use.
///
/// A missing disk leaves an empty folder at its mount point. Files written into that folder are
/// stored on the system's own disk, and are missing on the other one.
struct MountTable {
  /// Mount points named in `/etc/fstab`.
  private let meant: Set<String>
  /// Mount points in use.
  private let mounted: Set<String>

  /// The tables of this computer; a table that cannot be read counts as empty.
  init() {
    self.init(
      meant: (WholeFile.text("/etc/fstab") ?? ""),
      mounted: (WholeFile.text("/proc/self/mounts") ?? ""))
  }

  /// The tables from the texts of these files.
  init(meant: String, mounted: String) {
    self.meant = Self.points(meant)
    self.mounted = Self.points(mounted)
  }

  /// The mount point at or above a path (absolute, without links) where nothing is mounted although
  /// `/etc/fstab` names it.
  func missing(above path: String) -> String? {
    var part = path
    while part.hasPrefix("/"), part != "/" {
      if mounted.contains(part) { return nil }
      if meant.contains(part) { return part }
      part = part.lastIndex(of: "/").map { String(part[..<$0]) } ?? ""
    }
    return nil
  }

  /// The second word of each line, which in both files is the mount point.
  private static func points(_ text: String) -> Set<String> {
    Set(
      text.split(separator: "\n").compactMap { line in
        let words = line.split { $0 == " " || $0 == "\t" }
        guard words.count >= 2, !words[0].hasPrefix("#") else { return nil }
        return plain(words[1])
      })
  }

  /// Decodes a word with escapes such as `\040` for a blank.
  private static func plain(_ word: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(word.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), rest.count >= 3,
        let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
      {
        bytes.append(code)
        rest.removeFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    let path = String(decoding: bytes, as: UTF8.self)
    return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }
}
