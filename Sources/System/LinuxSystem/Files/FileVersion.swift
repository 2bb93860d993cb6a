internal import Glibc

/// Identifies a file's version, which changes when the file is replaced or overwritten.
public struct FileVersion: Hashable, Sendable {
  private let identity: FileIdentity
  private let size: Int64
  private let written: Int64

  /// Reads the version of the file at a path, with links resolved. Returns `nil` if the file does
  /// not exist. Does not open the file.
  public init?(_ path: String) {
    guard let status = FileStatus.of(path) else { return nil }
    self.init(status)
  }

  /// Reads the version of an open file. Returns `nil` if the system does not report it.
  public init?(_ descriptor: borrowing OwnedDescriptor) {
    guard let status = FileStatus.of(descriptor) else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    identity = FileIdentity(status)
    size = Int64(status.st_size)
    written = FileStatus.timeWritten(status)
  }
}
