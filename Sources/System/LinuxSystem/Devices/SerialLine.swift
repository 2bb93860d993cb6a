internal import Glibc

/// A serial port opened for reading, in raw mode with eight data bits, no parity, one stop bit and
/// no flow control.
///
/// This type never writes to the port. It can also read a named pipe to which another program
/// writes NMEA sentences. Such a pipe is treated as a port without a line speed.
public struct SerialLine: ~Copyable, Sendable {
  private let descriptor: OwnedDescriptor
  private let path: String
  /// The line speed; `nil` for a named pipe, or if `SerialSpeed` does not include the speed.
  public private(set) var speed: SerialSpeed?
  /// Whether the line speed affects the transfer. A USB receiver that presents itself as a modem
  /// works at any speed setting.
  public let hasSpeed: Bool
  private let isPipe: Bool

  /// Opens a named pipe, or opens a terminal for exclusive use. If `speed` is `nil`, the terminal
  /// keeps its current speed.
  ///
  /// Bytes received before this call are discarded, because their arrival times are unknown.
  public init(path: String, speed: SerialSpeed?) throws(SystemError) {
    // Without O_NONBLOCK, open would wait for a carrier signal. Three-wire cables never provide
    // one.
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

  /// Configures a terminal as a serial line for exclusive use, and returns its speed.
  private static func setUp(
    _ descriptor: borrowing OwnedDescriptor, at path: String, _ speed: SerialSpeed?
  ) throws(SystemError) -> SerialSpeed? {
    var mode = termios()
    guard unsafe tcgetattr(descriptor.number, &mode) == 0 else {
      throw SystemError("use \(path) as a serial port")
    }
    // In raw mode, a read waits for one byte. On a non-blocking descriptor, EAGAIN then means that
    // no input has arrived yet, and 0 means that the device has disappeared.
    unsafe cfmakeraw(&mode)
    // Some receivers stop sending under flow control, and some restart if DTR drops when the port
    // is closed.
    mode.c_cflag &= ~(tcflag_t(CSTOPB) | tcflag_t(CRTSCTS) | tcflag_t(HUPCL))
    mode.c_cflag |= tcflag_t(CLOCAL | CREAD)
    try set(&mode, of: descriptor, at: path, to: speed)
    // If two readers shared a port, each would receive only some of the bytes.
    guard ioctl(descriptor.number, UInt(TIOCEXCL)) == 0 else {
      throw SystemError("get exclusive access to \(path)")
    }
    _ = tcflush(descriptor.number, TCIFLUSH)
    return unsafe speed ?? SerialSpeed(code: cfgetispeed(&mode))
  }

  deinit {
    // A pseudo-terminal outlives its readers. If it remained in exclusive mode, it would reject
    // every later reader except root.
    _ = ioctl(descriptor.number, UInt(TIOCNXCL))
  }

  /// Changes the line speed. Bytes received at the old speed are discarded.
  public mutating func change(to speed: SerialSpeed) throws(SystemError) {
    guard !isPipe else { return }
    var mode = termios()
    guard unsafe tcgetattr(descriptor.number, &mode) == 0 else {
      throw SystemError("use \(path) as a serial port")
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

  /// Returns whether the path, after links are resolved, refers to a USB device of the modem class.
  private static func isModem(_ path: String) -> Bool {
    Folder.name(of: PathPattern.target(of: path)).hasPrefix("ttyACM")
  }

  /// The descriptor to poll for input.
  public var number: Int32 { descriptor.number }

  /// Reads the available bytes without blocking.
  ///
  /// Returns the number of bytes read, or minus `errno`. `EAGAIN` and `EINTR` mean that no input
  /// has arrived yet. 0 and every other error mean that the device has disappeared.
  public func read(into buffer: inout [UInt8]) -> Int {
    descriptor.read(into: &buffer)
  }

  /// Returns whether a return value of `read` means that no input has arrived yet.
  public static func isNothingYet(_ outcome: Int) -> Bool {
    outcome == -Int(EAGAIN) || outcome == -Int(EINTR)
  }

  /// Whether the path still refers to this device. After the device is unplugged and plugged in
  /// again, the path may refer to a different device.
  public var isStillNamed: Bool {
    var ours = stat()
    var named = stat()
    guard unsafe fstat(descriptor.number, &ours) == 0, unsafe stat(path, &named) == 0 else {
      return false
    }
    return ours.st_rdev == named.st_rdev && ours.st_ino == named.st_ino
  }
}
