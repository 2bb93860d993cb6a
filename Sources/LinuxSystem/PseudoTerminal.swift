internal import Glibc

/// A terminal without a device: what is written to the near end is read from a path like a
/// serial port.
public struct PseudoTerminal: ~Copyable, Sendable {
  /// The near end, non-blocking.
  public let controller: OwnedDescriptor
  /// Path of the far end, such as `/dev/pts/3`.
  public let path: String
  /// Kept open so that the terminal outlives readers which come and go.
  private let keeper: OwnedDescriptor

  /// Opens a new one in raw mode.
  public init() throws(SystemError) {
    var near: Int32 = -1
    var far: Int32 = -1
    var name = [CChar](repeating: 0, count: 64)
    var mode = termios()
    unsafe cfmakeraw(&mode)
    mode.c_cflag |= tcflag_t(CREAD)
    guard unsafe openpty(&near, &far, &name, &mode, nil) == 0 else {
      throw SystemError("open a pseudo-terminal")
    }
    let controller = OwnedDescriptor(owning: near)
    let keeper = OwnedDescriptor(owning: far)
    for number in [near, far] { try OwnedDescriptor.keepPrivate(number) }
    self.controller = controller
    self.keeper = keeper
    path = String(
      decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The speed that the reader at the far end has set; bytes pass at any.
  public var speed: SerialSpeed? {
    var mode = termios()
    guard unsafe tcgetattr(keeper.number, &mode) == 0 else { return nil }
    return unsafe SerialSpeed(code: cfgetispeed(&mode))
  }

  /// Drops what no reader has fetched, as a receiver's line does.
  public func discardUnread() {
    _ = tcflush(keeper.number, TCIFLUSH)
  }
}
