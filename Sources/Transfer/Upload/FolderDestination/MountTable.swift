internal import Glibc
internal import LinuxSystem

/// The mount points that are configured on the system, and the mount points currently in use.
///
/// If a disk is not mounted, its mount point is an empty folder. Files written into that folder
/// would end up on the system's own disk.
struct MountTable {
  /// The mount points in `/etc/fstab`.
  private let meant: Set<String>
  /// The mount points on which something is currently mounted.
  private let mounted: Set<String>

  /// Reads this computer's tables. A table that cannot be read is treated as empty.
  init() {
    self.init(
      meant: (WholeFile.text("/etc/fstab") ?? ""),
      mounted: (WholeFile.text("/proc/self/mounts") ?? ""))
  }

  /// Parses the contents of `/etc/fstab` and `/proc/self/mounts`.
  init(meant: String, mounted: String) {
    self.meant = Self.points(meant)
    self.mounted = Self.points(mounted)
  }

  /// Returns a mount point, at or above a path, that `/etc/fstab` reserves for a disk although
  /// nothing is mounted there. The path must be absolute and must not contain symbolic links.
  func missing(above path: String) -> String? {
    var part = path
    while part.hasPrefix("/"), part != "/" {
      if mounted.contains(part) { return nil }
      if meant.contains(part) { return part }
      part = part.lastIndex(of: "/").map { String(part[..<$0]) } ?? ""
    }
    return nil
  }

  /// Returns the second word of each line, which is the mount point in both files.
  private static func points(_ text: String) -> Set<String> {
    Set(
      text.split(separator: "\n").compactMap { line in
        let words = line.split { $0 == " " || $0 == "\t" }
        guard words.count >= 2, !words[0].hasPrefix("#") else { return nil }
        return plain(words[1])
      })
  }

  /// Decodes a word that may contain escapes, such as `\040` for a space.
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
