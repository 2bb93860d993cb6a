public import Glibc
public import Values

/// A failed system call: the operation, its object, and the reason.
public struct SystemError: Remediable, Hashable {
  /// The operation and its object, such as `open /dev/ttyUSB0`.
  public var operation: String
  /// The value of `errno` after the failure.
  public var number: Int32

  /// Creates the error for a failed `operation`. By default, the number is the calling thread's
  /// `errno`.
  public init(_ operation: String, number: Int32 = errno) {
    self.operation = operation
    self.number = number
  }

  public static let timedOut = ETIMEDOUT

  public var reason: String {
    unsafe String(cString: strerror(number))
  }

  /// The remedy for the user; empty if the error has no general remedy.
  public var remedy: String {
    switch number {
    case EACCES, EPERM, EROFS:
      "use a folder that this user can write to; TMPDIR sets the folder for temporary files"
    case ENOENT, ENOTDIR: "check that the path exists"
    case ENOSPC, EDQUOT: "free some space on that disk"
    case EMFILE, ENFILE: "close other programs, or raise the limit with 'ulimit -n'"
    case ENOMEM, EAGAIN: "close other programs to free memory"
    default: ""
    }
  }

  /// Whether retrying may succeed.
  public var isTemporary: Bool { number == EAGAIN || number == EINTR }

  public var isForbidden: Bool { number == EACCES || number == EPERM }

  public var isAddressTaken: Bool { number == EADDRINUSE }

  /// Whether the operation failed because the address does not belong to this computer.
  public var isAddressForeign: Bool { number == EADDRNOTAVAIL }

  public var message: String { "cannot \(operation): \(reason)" }
}
