internal import Glibc
internal import LinuxSystem

/// A file that could not be written: what failed, on which file, and what to do.
public struct ExportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What failed, on what, and why; one line.
  public var message: String
  /// What a person can do about it.
  public var remedy: String

  /// An error with the given parts.
  public init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }

  /// The kernel's refusal to write a file.
  init(writing path: String, number: Int32) {
    self.init(
      "cannot write \(path): \(SystemError("", number: number).reason)",
      remedy: Self.remedy(number))
  }

  private static func remedy(_ number: Int32) -> String {
    switch number {
    case ENOSPC, EDQUOT: "free some space on that disk, or give a path on another"
    case EACCES, EPERM, EROFS: "give a path in a folder where this user may write"
    case ENOENT, ENOTDIR: "make the folder first, or correct the path"
    case EISDIR, ENOTEMPTY: "give the path of a file, not of a folder"
    default: "check the disk with: dmesg"
    }
  }

  /// Message and, on an indented second line, remedy.
  public var description: String { "\(message)\n       \(remedy)" }
}
