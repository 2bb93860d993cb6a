internal import Glibc

/// The version of a file at one time: it changes when the file is replaced or overwritten.
public struct FileVersion: Hashable, Sendable {
  private let identity: FileIdentity
  private let size: Int64
  private let written: Int64

  /// The file at a path, with links resolved; `nil` if there is none. Opens nothing.
  public init?(_ path: String) {
    guard let status = FileStatus.of(path) else { return nil }
    self.init(status)
  }

  /// An open file; `nil` if the system does not report it.
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
