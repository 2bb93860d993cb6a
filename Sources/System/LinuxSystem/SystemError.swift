public import Glibc
public import Values

/// A system call that failed: the operation, its object, and the kernel's number for the reason.
public struct SystemError: Remediable, Hashable {
  /// The operation and its object, as in `open /dev/ttyUSB0`.
  public var operation: String
  /// The `errno` of the failure.
  public var number: Int32

  /// A failure of `operation`; the number is the calling thread's `errno` unless given.
  public init(_ operation: String, number: Int32 = errno) {
    self.operation = operation
    self.number = number
  }

  /// The number of an operation that timed out.
  public static let timedOut = ETIMEDOUT

  /// The kernel's text for the number.
  public var reason: String {
    unsafe String(cString: strerror(number))
  }

  /// The remedy, for a person; empty if there is no general one.
  public var remedy: String {
    switch number {
    case EACCES, EPERM, EROFS:
      "use a folder you may write to; TMPDIR names the one for temporary files"
    case ENOENT, ENOTDIR: "check that the path exists"
    case ENOSPC, EDQUOT: "free some space on that disk"
    case EMFILE, ENFILE: "close other programs, or raise the limit with 'ulimit -n'"
    case ENOMEM, EAGAIN: "close other programs to free memory"
    default: ""
    }
  }

  /// Whether trying again may help.
  public var isTemporary: Bool { number == EAGAIN || number == EINTR }

  /// Whether this user lacks the right to do it.
  public var isForbidden: Bool { number == EACCES || number == EPERM }

  /// Whether another program uses the address.
  public var isAddressTaken: Bool { number == EADDRINUSE }

  /// Whether the address does not belong to this computer.
  public var isAddressForeign: Bool { number == EADDRNOTAVAIL }

  /// One line: operation and reason.
  public var message: String { "cannot \(operation): \(reason)" }
}
