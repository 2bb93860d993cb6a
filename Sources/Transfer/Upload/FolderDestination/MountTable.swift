internal import Glibc
internal import LinuxSystem

/// What the system means to have mounted, and what it has.
///
/// A disk that is not there leaves an empty folder at its place. Files written into that folder lie
/// on the system's own disk, and are missing on the other one.
struct MountTable {
  /// Mount points that `/etc/fstab` names.
  private let meant: Set<String>
  /// Mount points in use.
  private let mounted: Set<String>

  /// The tables of this computer; what cannot be read is empty.
  init() {
    self.init(
      meant: (WholeFile.text("/etc/fstab") ?? ""),
      mounted: (WholeFile.text("/proc/self/mounts") ?? ""))
  }

  /// Tables as these files have them.
  init(meant: String, mounted: String) {
    self.meant = Self.points(meant)
    self.mounted = Self.points(mounted)
  }

  /// The mount point at or above a path (absolute, without links) at which nothing is mounted
  /// though it should be.
  func missing(above path: String) -> String? {
    var part = path
    while part.hasPrefix("/"), part != "/" {
      if mounted.contains(part) { return nil }
      if meant.contains(part) { return part }
      part = part.lastIndex(of: "/").map { String(part[..<$0]) } ?? ""
    }
    return nil
  }

  /// The second word of each line, which both files have in common.
  private static func points(_ text: String) -> Set<String> {
    Set(
      text.split(separator: "\n").compactMap { line in
        let words = line.split { $0 == " " || $0 == "\t" }
        guard words.count >= 2, !words[0].hasPrefix("#") else { return nil }
        return plain(words[1])
      })
  }

  /// A word in which blanks are written as `\040`.
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
