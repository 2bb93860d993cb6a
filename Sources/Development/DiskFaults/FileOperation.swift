/// One thing that a program did to a file or to the folder it is in.
public enum FileOperation: Hashable, Sendable {
  /// A file was made, empty.
  case create(String)
  /// Bytes were written, which may make the file longer.
  case write(String, at: Int, [UInt8])
  /// The file was cut, or made longer with zeros.
  case truncate(String, length: Int)
  /// The file's content was synced, or should have been. After a failed sync it is not known how
  /// much of the content is on the disk, and the kernel does not try again.
  case sync(String, hasFailed: Bool = false)
  /// The folder was synced: which names there are, and of which files.
  case syncFolder
  /// A name was removed.
  case remove(String)
  /// A file got another name, in place of the file that had it.
  case rename(String, to: String)
}
