internal import Glibc

/// A serial port opened for listening: raw, eight data bits, no parity, one stop bit, no flow
/// control.
///
/// Nothing is ever written to it. A named pipe, into which another program writes sentences, is
/// read like a line without a speed.
public struct SerialLine: ~Copyable, Sendable {
  private let descriptor: OwnedDescriptor
  private let path: String
  /// The speed of the line; `nil` for a speed that no receiver uses.
  public private(set) var speed: SerialSpeed?
  /// Whether the line has a real speed: a USB receiver that is its own modem accepts any speed.
  public let hasSpeed: Bool
  private let isPipe: Bool

  /// Opens a terminal for exclusive use, at a speed or at its present one, or a pipe.
  ///
  /// Bytes received earlier are dropped, since they could not be stamped with their arrival.
  public init(path: String, speed: SerialSpeed?) throws(SystemError) {
    // Without O_NONBLOCK the open would wait for a carrier that three-wire cables never show.
    let descriptor = try OwnedDescriptor.open(path, flags: O_RDONLY | O_NOCTTY | O_NONBLOCK)
    let isPipe = Self.isPipe(descriptor)
    if isPipe {
      var old = [UInt8](repeating: 0, count: 4_096)
      while descriptor.read(into: &old) > 0 {}
      self.speed = nil
    } else {
      self.speed = try Self.setUp(descriptor, at: path, speed)
    }
    hasSpeed = !isPipe && !Self.isModem(path)
    self.isPipe = isPipe
    self.descriptor = descriptor
    self.path = path
  }

  private static func isPipe(_ descriptor: borrowing OwnedDescriptor) -> Bool {
    var status = stat()
    return unsafe fstat(descriptor.number, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  /// Sets a terminal up as a serial line for exclusive use. Returns its speed.
  private static func setUp(
    _ descriptor: borrowing OwnedDescriptor, at path: String, _ speed: SerialSpeed?
  ) throws(SystemError) -> SerialSpeed? {
    var mode = termios()
    guard unsafe tcgetattr(descriptor.number, &mode) == 0 else {
      throw SystemError("use \(path) as a serial line")
    }
    // Raw mode makes a read wait for one byte. On a non-blocking descriptor EAGAIN then means no
    // input yet, and 0 means that the device is gone.
    unsafe cfmakeraw(&mode)
    // Some units stop with flow control, and some restart when closing the port drops DTR.
    mode.c_cflag &= ~(tcflag_t(CSTOPB) | tcflag_t(CRTSCTS) | tcflag_t(HUPCL))
    mode.c_cflag |= tcflag_t(CLOCAL | CREAD)
    try set(&mode, of: descriptor, at: path, to: speed)
    // Two readers of one port share its bytes at random.
    guard ioctl(descriptor.number, UInt(TIOCEXCL)) == 0 else {
      throw SystemError("get exclusive access to \(path)")
    }
    _ = tcflush(descriptor.number, TCIFLUSH)
    return unsafe speed ?? SerialSpeed(code: cfgetispeed(&mode))
  }

  deinit {
    // A pseudo-terminal outlives its readers, and would refuse the next reader that is not root.
    _ = ioctl(descriptor.number, UInt(TIOCNXCL))
  }

  /// Changes to another speed; bytes received at the old one are dropped.
  public mutating func change(to speed: SerialSpeed) throws(SystemError) {
    guard !isPipe else { return }
    var mode = termios()
    guard unsafe tcgetattr(descriptor.number, &mode) == 0 else {
      throw SystemError("use \(path) as a serial line")
    }
    try Self.set(&mode, of: descriptor, at: path, to: speed)
    _ = tcflush(descriptor.number, TCIFLUSH)
    self.speed = speed
  }

  private static func set(
    _ mode: inout termios, of descriptor: borrowing OwnedDescriptor, at path: String,
    to speed: SerialSpeed?
  ) throws(SystemError) {
    if let speed {
      _ = unsafe cfsetispeed(&mode, speed.code)
      _ = unsafe cfsetospeed(&mode, speed.code)
    }
    guard unsafe tcsetattr(descriptor.number, TCSANOW, &mode) == 0 else {
      throw SystemError("set \(path) to \(speed.map { "\($0.rawValue) baud" } ?? "raw")")
    }
  }

  /// Whether the path, with links resolved, is a USB device of the modem class.
  private static func isModem(_ path: String) -> Bool {
    Folder.name(of: PathPattern.target(of: path)).hasPrefix("ttyACM")
  }

  /// The descriptor to poll for input.
  public var number: Int32 { descriptor.number }

  /// Reads the available bytes, without waiting.
  ///
  /// Returns the count, or minus `errno`: `EAGAIN` without input. A count of 0 and every other
  /// error mean that the device is gone.
  public func read(into buffer: inout [UInt8]) -> Int {
    descriptor.read(into: &buffer)
  }

  /// Whether a result of `read` means that there is no input yet.
  public static func isNothingYet(_ outcome: Int) -> Bool {
    outcome == -Int(EAGAIN) || outcome == -Int(EINTR)
  }

  /// Whether the path still names this device; after a replug it may name another.
  public var isStillNamed: Bool {
    var ours = stat()
    var named = stat()
    guard unsafe fstat(descriptor.number, &ours) == 0, unsafe stat(path, &named) == 0 else {
      return false
    }
    return ours.st_rdev == named.st_rdev && ours.st_ino == named.st_ino
  }
}
