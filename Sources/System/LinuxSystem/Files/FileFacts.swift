internal import Glibc

/// A file's owner and permissions, used to explain why access was denied.
public struct FileFacts: Hashable, Sendable {
  public var owner: UInt32
  public var group: UInt32
  /// Whether the group may read and write the file.
  public var isOpenToGroup: Bool

  public init(owner: UInt32, group: UInt32, isOpenToGroup: Bool) {
    self.owner = owner
    self.group = group
    self.isOpenToGroup = isOpenToGroup
  }

  /// Reads the owner and permissions of the file at a path, with links resolved. Returns `nil` if
  /// the file does not exist. Does not open the file.
  public init?(_ path: String) {
    guard let status = FileStatus.of(path) else { return nil }
    owner = status.st_uid
    group = status.st_gid
    isOpenToGroup = status.st_mode & (S_IRGRP | S_IWGRP) == S_IRGRP | S_IWGRP
  }

  /// Whether a path names a pipe or a device, which can be read only once.
  public static func isStream(_ path: String) -> Bool {
    guard let kind = FileStatus.of(path).map({ $0.st_mode & S_IFMT }) else { return false }
    return kind != S_IFREG && kind != S_IFDIR
  }

  /// Returns the reason this process cannot read a file, or cannot write to a file or folder.
  /// Returns `nil` if access is allowed.
  public static func refusal(_ path: String, writing: Bool) -> SystemError? {
    guard unsafe access(path, writing ? R_OK | W_OK : R_OK) != 0 else { return nil }
    return SystemError("\(writing ? "write to" : "read") \(path)")
  }
}
