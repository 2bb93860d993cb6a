internal import Glibc
internal import LinuxSystem

/// A folder of sessions that could not do what it was asked: what failed, on what, and what to do.
public struct ArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What callers tell apart.
  public enum Kind: Hashable, Sendable {
    /// The disk, or a quota on it, has no room left.
    case full
    /// The folder is not there, or may not be used.
    case cannotOpen
    /// A file is not as it was written.
    case damaged
    /// The disk failed, or the system refused for another reason.
    case other
  }

  /// What callers tell apart.
  public var kind: Kind
  /// What failed, on what, and why; one line.
  public var message: String
  /// What a person can do about it.
  public var remedy: String

  /// An error with the given parts.
  public init(_ kind: Kind, _ message: String, remedy: String) {
    self.kind = kind
    self.message = message
    self.remedy = remedy
  }

  /// The kernel's refusal.
  init(_ error: SystemError) {
    switch error.number {
    case ENOSPC, EDQUOT, EFBIG:
      self.init(
        .full, "\(error)", remedy: "free some space on that disk; what was stored before is safe")
    case EACCES, EPERM, EROFS:
      self.init(.cannotOpen, "\(error)", remedy: "give a folder in which this user may write")
    case ENOENT, ENOTDIR:
      self.init(
        .cannotOpen, "\(error)", remedy: "make the folder first, or mount the disk that it is on")
    default:
      self.init(.other, "\(error)", remedy: "check the disk and its mount options with: dmesg")
    }
  }

  /// Message and, on an indented second line, remedy.
  public var description: String { "\(message)\n       \(remedy)" }
}
