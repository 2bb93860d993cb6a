/// One operation on a file in a folder, by its name there, or on the folder itself.
public enum FileOperation: Hashable, Sendable {
  /// An empty file was created.
  case create(String)
  /// Bytes were written, which may make the file longer.
  case write(String, at: Int, [UInt8])
  /// The file was shortened, or extended with zeros.
  case truncate(String, length: Int)
  /// The file's content was synced, or the sync failed. After a failed sync it is unknown how much
  /// of the content is on the disk, and the kernel does not retry.
  case sync(String, hasFailed: Bool = false)
  /// The folder was synced: its names, and the files they refer to.
  case syncFolder
  /// A name was removed.
  case remove(String)
  /// A file was renamed, replacing the file that had the name.
  case rename(String, to: String)

  /// The number of bytes that a failed write leaves in the file.
  public static func partOfFailedWrite(_ count: Int) -> Int { count / 2 }
}
