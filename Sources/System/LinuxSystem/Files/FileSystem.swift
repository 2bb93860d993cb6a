internal import CLinux
internal import Glibc

/// A file system that can be synced to the disk as a whole.
public final class FileSystem: Sendable {
  private let folder: OwnedDescriptor
  private let path: String

  /// The file system of the folder at `path`, if syncing the whole is equivalent to syncing each
  /// file and folder in it; `nil` otherwise.
  ///
  /// This is so with ext4, XFS and Btrfs. FAT does not flush the disk's cache, and network and
  /// user-space file systems may not receive the sync at all. A write error since this was opened
  /// is an error of the sync.
  public init?(syncedAsWholeAt path: String) {
    guard let folder = try? OwnedDescriptor.open(path, flags: O_RDONLY | O_DIRECTORY),
      Self.kinds.contains(clinux_file_system_kind(folder.number))
    else { return nil }
    self.folder = folder
    self.path = path
  }

  /// The kernel's numbers of these file systems: ext4, XFS, Btrfs.
  private static let kinds: Set<UInt32> = [0xef53, 0x5846_5342, 0x9123_683e]

  /// Bytes that this user may still write into the file system with the file or folder at `path`.
  public static func room(at path: String) throws(SystemError) -> UInt64 {
    var disk = statvfs()
    guard unsafe statvfs(path, &disk) == 0 else {
      throw SystemError("determine the free space for \(path)")
    }
    return UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
  }

  /// Bytes of the whole file system with the file or folder at `path`.
  public static func size(at path: String) throws(SystemError) -> UInt64 {
    var disk = statvfs()
    guard unsafe statvfs(path, &disk) == 0 else {
      throw SystemError("determine the size of the disk of \(path)")
    }
    return UInt64(disk.f_blocks) * UInt64(disk.f_frsize)
  }

  /// Syncs all files and folders of the file system to the disk, including those of other programs.
  public func sync() throws(SystemError) {
    guard clinux_sync_file_system(folder.number) == 0 else {
      throw SystemError("sync the file system of \(path)")
    }
  }
}
