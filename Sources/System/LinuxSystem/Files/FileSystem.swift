internal import CLinux
internal import Glibc

/// A file system that can be brought to the disk as a whole.
public final class FileSystem: Sendable {
  private let folder: OwnedDescriptor
  private let path: String

  /// The one that the folder at `path` is in, if a sync of the whole does all that a sync of each
  /// file and folder in it does; `nil` otherwise.
  ///
  /// It does with ext4, XFS and Btrfs. FAT does not empty the disk's cache then, and file systems
  /// of networks and of programs may not hear of it at all. What could not be written since this
  /// was opened is an error of the sync.
  public init?(syncedAsWholeAt path: String) {
    guard let folder = try? OwnedDescriptor.open(path, flags: O_RDONLY | O_DIRECTORY),
      Self.kinds.contains(clinux_file_system_kind(folder.number))
    else { return nil }
    self.folder = folder
    self.path = path
  }

  /// The numbers by which the kernel tells these file systems: ext4, XFS, Btrfs.
  private static let kinds: Set<UInt32> = [0xef53, 0x5846_5342, 0x9123_683e]

  /// Brings all its files and folders to the disk, those of other programs too.
  public func sync() throws(SystemError) {
    guard clinux_sync_file_system(folder.number) == 0 else {
      throw SystemError("sync the file system of \(path)")
    }
  }
}
