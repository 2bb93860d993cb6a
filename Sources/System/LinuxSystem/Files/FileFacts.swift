internal import Glibc

/// Owner and rights of a file, for explaining a refusal.
public struct FileFacts: Hashable, Sendable {
  /// The number of the owner.
  public var owner: UInt32
  /// The number of the group.
  public var group: UInt32
  /// Whether the group may read and write the file.
  public var isOpenToGroup: Bool

  public init(owner: UInt32, group: UInt32, isOpenToGroup: Bool) {
    self.owner = owner
    self.group = group
    self.isOpenToGroup = isOpenToGroup
  }

  /// The facts of the file at a path, with links resolved; `nil` if there is none. Opens nothing.
  public init?(_ path: String) {
    guard let status = FileStatus.of(path) else { return nil }
    owner = status.st_uid
    group = status.st_gid
    isOpenToGroup = status.st_mode & (S_IRGRP | S_IWGRP) == S_IRGRP | S_IWGRP
  }

  /// The reason why this process may not read a file, or write to it or in it; `nil` if it may.
  public static func refusal(_ path: String, writing: Bool) -> SystemError? {
    guard unsafe access(path, writing ? R_OK | W_OK : R_OK) != 0 else { return nil }
    return SystemError("\(writing ? "write to" : "read") \(path)")
  }
}
