internal import CLinux
internal import Glibc

/// A terminal without a device: bytes written to the near end are read from a path, as from a
/// serial port.
public struct PseudoTerminal: ~Copyable, Sendable {
  /// The near end, non-blocking.
  public let controller: OwnedDescriptor
  /// Path of the far end, such as `/dev/pts/3`.
  public let path: String
  /// Kept open so that the terminal outlives its readers.
  private let keeper: OwnedDescriptor

  /// Opens a new pseudo-terminal in raw mode.
  public init() throws(SystemError) {
    // Not by openpty(3), which opens both ends without close-on-exec: a child started meanwhile
    // would keep the terminal from hanging up.
    var name = [CChar](repeating: 0, count: 64)
    let near = unsafe clinux_open_terminal(&name, name.count)
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

  /// The speed that the reader at the far end has set; bytes pass at any speed.
  public var speed: SerialSpeed? {
    var mode = termios()
    guard unsafe tcgetattr(keeper.number, &mode) == 0 else { return nil }
    return unsafe SerialSpeed(code: cfgetispeed(&mode))
  }

  /// Drops the bytes that no reader has read, as a receiver's line does.
  public func discardUnread() {
    _ = tcflush(keeper.number, TCIFLUSH)
    // A killed reader still has exclusive use of the terminal, unlike on a device.
    _ = ioctl(keeper.number, UInt(TIOCNXCL))
  }
}
