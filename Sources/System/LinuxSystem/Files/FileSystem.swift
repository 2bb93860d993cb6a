internal import CLinux
internal import Glibc

/// A file system that can be synced to the disk as a whole.
public final class FileSystem: Sendable {
  private let folder: OwnedDescriptor
  private let path: String

  /// Opens the file system that contains the folder at `path`. Returns `nil` unless syncing the
  /// whole file system is as safe as syncing each file and folder separately.
  ///
  /// Accepts ext4, XFS and Btrfs. FAT does not flush the disk's cache, and a sync may never reach
  /// the storage of network and FUSE file systems. `sync` fails if a write error has occurred since
  /// this call.
  public init?(syncedAsWholeAt path: String) {
    guard let folder = try? OwnedDescriptor.open(path, flags: O_RDONLY | O_DIRECTORY),
      Self.kinds.contains(clinux_file_system_kind(folder.number))
    else { return nil }
    self.folder = folder
    self.path = path
  }

  /// The magic numbers by which the kernel identifies ext4, XFS and Btrfs.
  private static let kinds: Set<UInt32> = [0xef53, 0x5846_5342, 0x9123_683e]

  /// Returns how many bytes this user can still write to the file system that contains `path`.
  public static func room(at path: String) throws(SystemError) -> UInt64 {
    var disk = statvfs()
    guard unsafe statvfs(path, &disk) == 0 else {
      throw SystemError("determine the free space for \(path)")
    }
    return UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
  }

  /// Returns the total size, in bytes, of the file system that contains `path`.
  public static func size(at path: String) throws(SystemError) -> UInt64 {
    var disk = statvfs()
    guard unsafe statvfs(path, &disk) == 0 else {
      throw SystemError("determine the size of the disk that contains \(path)")
    }
    return UInt64(disk.f_blocks) * UInt64(disk.f_frsize)
  }

  /// Syncs all files and folders of the file system to the disk, including other programs' files.
  public func sync() throws(SystemError) {
    guard clinux_sync_file_system(folder.number) == 0 else {
      throw SystemError("sync the file system that contains \(path)")
    }
  }
}
