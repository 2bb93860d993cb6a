/// An operation on a folder, or on a file in the folder. Files are identified by their names.
public enum FileOperation: Hashable, Sendable {
  /// An empty file was created.
  case create(String)
  /// Bytes were written, possibly beyond the file's former end.
  case write(String, at: Int, [UInt8])
  /// The file was truncated, or extended with zeros.
  case truncate(String, length: Int)
  /// The file's content was synced, or the sync failed. After a failure, it is unknown how much of
  /// the content reached the disk, and the kernel does not retry.
  case sync(String, hasFailed: Bool = false)
  /// The folder was synced: its directory entries and the files that they refer to.
  case syncFolder
  /// A file's name was removed from the folder.
  case remove(String)
  /// A file was renamed, replacing any file with the new name.
  case rename(String, to: String)

  /// Returns how many of `count` bytes a failed write stores in a simulation.
  public static func partOfFailedWrite(_ count: Int) -> Int { count / 2 }
}
