internal import Glibc

/// Identifies a file on this computer by its device and inode number, regardless of its path.
///
/// The kernel reuses an inode number only after the file is deleted and no program has it open.
/// While a file is open, a path therefore refers to it if and only if the identities are equal.
public struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  /// Identifies the file at a path, with links resolved. Returns `nil` if the file does not exist.
  /// Does not open the file.
  public init?(_ path: String) {
    guard let status = FileStatus.of(path) else { return nil }
    self.init(status)
  }

  /// Identifies an open file. Returns `nil` if the system does not report the file's inode number.
  public init?(_ descriptor: borrowing OwnedDescriptor) {
    guard let status = FileStatus.of(descriptor) else { return nil }
    self.init(status)
  }

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }
}
