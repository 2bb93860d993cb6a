internal import Glibc
internal import Values

/// An exclusive lock on a folder. While one program holds the lock, other programs that honour it
/// do not change files in the folder.
///
/// The kernel locks the folder itself, because a lock on a file would be lost when the file is
/// replaced. The lock leaves no file behind, and is released when the process ends for any reason.
public struct FolderLock: ~Copyable {
  private let descriptor: OwnedDescriptor

  /// Seconds between two attempts to acquire the lock.
  private static let pause = 0.01

  /// Acquires the lock on a folder. Waits at most `limit` seconds for another program to release
  /// it.
  ///
  /// The lock has no effect on network file systems that do not support locks on folders.
  public init(_ folder: String, waitingAtMost limit: Double) throws(SystemError) {
    descriptor = try Self.locked(folder, waitingAtMost: limit)
  }

  private static func locked(
    _ folder: String, waitingAtMost limit: Double
  ) throws(SystemError) -> OwnedDescriptor {
    let descriptor = try OwnedDescriptor.open(folder, flags: O_RDONLY | O_DIRECTORY)
    let deadline = BootClock.now().nanoseconds + Int64(limit * 1e9)
    while flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: break
      case EWOULDBLOCK:
        guard BootClock.now().nanoseconds < deadline else {
          throw SystemError("lock \(folder)", number: SystemError.timedOut)
        }
        var nothing = PollSet()
        nothing.wait(seconds: pause)
      case EBADF, ENOLCK, EOPNOTSUPP, EINVAL: return descriptor
      default: throw SystemError("lock \(folder)")
      }
    }
    return descriptor
  }
}
