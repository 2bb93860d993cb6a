internal import Glibc
internal import Values

/// The exclusive right to change files of a folder, among programs that use this lock.
///
/// It is a kernel lock on the folder itself: files in it are replaced by others, so that a lock on
/// one of them would be lost. It leaves nothing behind, and ends with the process, whatever ends
/// it.
public struct FolderLock: ~Copyable {
  private let descriptor: OwnedDescriptor

  /// Seconds between two attempts.
  private static let pause = 0.01

  /// Takes the lock on a folder, waiting at most this many seconds.
  ///
  /// Some network file systems do not support locks on folders. There it has no effect.
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
