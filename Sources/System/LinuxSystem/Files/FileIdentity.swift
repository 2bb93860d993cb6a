internal import Glibc

/// Identifies a file on this computer, whatever its path, by its device and its number there.
///
/// The number belongs to the file until it is deleted and no program has it open. So an open file
/// and the file at its path are the same exactly if their identities are equal.
public struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

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

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }
}
