internal import Glibc
internal import LinuxSystem

/// Standard output or standard error. It is unbuffered, so lines appear immediately.
///
/// Writing can block forever if nobody reads the terminal, or if the reader is stopped.
public struct StandardStream: TextSink {
  private let descriptor: Int32
  private let name: String
  private let canPaint: Bool
  /// Whether colours may be used: the terminal supports control sequences, and `NO_COLOR` is unset
  /// or empty.
  public let hasColour: Bool

  /// Returns standard output. `environment` shows whether its terminal supports control sequences.
  public static func output(environment: [String: String]) -> StandardStream {
    StandardStream(
      descriptor: STDOUT_FILENO, name: "standard output", environment: environment)
  }

  public static func errors(environment: [String: String]) -> StandardStream {
    StandardStream(
      descriptor: STDERR_FILENO, name: "standard error", environment: environment)
  }

  /// Creates a stream on an open descriptor, which the caller still owns. Error messages refer to
  /// the stream as `name`.
  public init(descriptor: Int32, name: String, environment: [String: String]) {
    self.descriptor = descriptor
    self.name = name
    canPaint = isatty(descriptor) == 1 && !["", "dumb"].contains(environment["TERM"] ?? "")
    hasColour = canPaint && environment["NO_COLOR", default: ""].isEmpty
  }

  /// The size of the terminal. It is queried on each access, because windows can be resized.
  public var terminal: TerminalSize? {
    guard canPaint else { return nil }
    guard let window = TerminalWindow.size(of: descriptor) else {
      return TerminalSize(columns: 80, rows: 24)
    }
    return TerminalSize(columns: window.columns, rows: window.rows)
  }

  public var place: SinkIdentity {
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else {
      return SinkIdentity(device: .max, file: UInt64(UInt32(bitPattern: descriptor)))
    }
    return SinkIdentity(device: UInt64(facts.st_dev), file: UInt64(facts.st_ino))
  }

  /// Writes all bytes. Waits while the stream cannot accept more.
  public func write(_ bytes: Span<UInt8>) throws(OutputError) {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.extracting(done...).withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      switch (count, errno) {
      case (0..., _): done += count
      case (_, EINTR): continue
      case (_, EAGAIN): waitUntilWritable()
      case (_, EPIPE): throw .closed
      case (_, let number): throw .failed(SystemError("write to \(name)", number: number))
      }
    }
  }

  /// Writes to the terminal, unless the write would block.
  ///
  /// The terminal is opened a second time, because the existing descriptor shares its state with
  /// the shell and must not become non-blocking.
  public func writeAtOnce(_ text: String) {
    guard isatty(descriptor) == 1 else { return }
    let path = "/proc/self/fd/\(descriptor)"
    let number = unsafe open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard number >= 0 else { return }
    _ = OwnedDescriptor(owning: number).write(Array(text.utf8))
  }

  /// Waits until the stream is writable. Another program that shares the terminal may have made it
  /// non-blocking.
  private func waitUntilWritable() {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&entry, 1, -1)
  }
}
