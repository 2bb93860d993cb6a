internal import Glibc

/// The kernel's record of a file.
enum FileStatus {
  /// The file at a path, with links resolved; `nil` if there is none. Opens nothing.
  static func of(_ path: String) -> stat? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  /// An open file; `nil` if the system does not report it.
  static func of(_ descriptor: borrowing OwnedDescriptor) -> stat? {
    var status = stat()
    return unsafe fstat(descriptor.number, &status) == 0 ? status : nil
  }

  /// Time of the last write, by the system clock of that time, in nanoseconds.
  static func timeWritten(_ status: stat) -> Int64 {
    Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
  }
}
