internal import CLinux
internal import Glibc

/// A pseudo-terminal that simulates a serial port. A reader opens its path like a serial port and
/// reads the bytes written to the near end.
public struct PseudoTerminal: ~Copyable, Sendable {
  /// The near end of the terminal, in non-blocking mode.
  public let controller: OwnedDescriptor
  /// The path of the far end, such as `/dev/pts/3`, which readers open.
  public let path: String
  /// The far end. It is kept open so that the terminal outlives its readers.
  private let keeper: OwnedDescriptor

  /// Opens a new pseudo-terminal in raw mode.
  public init() throws(SystemError) {
    // openpty(3) opens both ends without close-on-exec. A child process started at that moment
    // would inherit them, and the terminal would then never hang up.
    var name = [CChar](repeating: 0, count: 64)
    let near = unsafe clinux_open_terminal(
      &name, name.count, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    guard near >= 0 else { throw SystemError("open a pseudo-terminal") }
    let controller = OwnedDescriptor(owning: near)
    let path = String(
      decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let keeper = try OwnedDescriptor.open(path, flags: O_RDWR | O_NOCTTY | O_NONBLOCK)
    var mode = termios()
    unsafe tcgetattr(keeper.number, &mode)
    unsafe cfmakeraw(&mode)
    mode.c_cflag |= tcflag_t(CREAD)
    guard unsafe tcsetattr(keeper.number, TCSANOW, &mode) == 0 else {
      throw SystemError("set up \(path)")
    }
    self.controller = controller
    self.keeper = keeper
    self.path = path
  }

  /// The line speed that the reader has set at the far end. The speed does not affect the transfer
  /// of bytes.
  public var speed: SerialSpeed? {
    var mode = termios()
    guard unsafe tcgetattr(keeper.number, &mode) == 0 else { return nil }
    return unsafe SerialSpeed(code: cfgetispeed(&mode))
  }

  /// Discards unread bytes, which a real serial line would lose.
  public func discardUnread() {
    _ = tcflush(keeper.number, TCIFLUSH)
    // Unlike a serial device, a pseudo-terminal remains in exclusive mode after its reader is
    // killed.
    _ = ioctl(keeper.number, UInt(TIOCNXCL))
  }
}
