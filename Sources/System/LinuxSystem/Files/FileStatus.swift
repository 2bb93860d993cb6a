internal import Glibc

/// Reads a file's status record from the kernel.
enum FileStatus {
  /// Reads the status of the file at a path, with links resolved. Returns `nil` if the file does
  /// not exist. Does not open the file.
  static func of(_ path: String) -> stat? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  /// Reads the status of an open file. Returns `nil` if the system does not report it.
  static func of(_ descriptor: borrowing OwnedDescriptor) -> stat? {
    var status = stat()
    return unsafe fstat(descriptor.number, &status) == 0 ? status : nil
  }

  /// Nanoseconds on the system clock.
  static func timeWritten(_ status: stat) -> Int64 {
    Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
  }
}
