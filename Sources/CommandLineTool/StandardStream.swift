internal import Glibc
internal import LinuxSystem

/// Standard output or standard error, written without buffer so that lines appear when they happen.
public struct StandardStream: TextSink {
  private let descriptor: Int32
  private let name: String
  private let canPaint: Bool

  /// Standard output; `environment` tells whether its terminal understands control sequences.
  public static func output(environment: [String: String]) -> StandardStream {
    StandardStream(
      descriptor: STDOUT_FILENO, name: "standard output", environment: environment)
  }

  /// Standard error.
  public static func errors(environment: [String: String]) -> StandardStream {
    StandardStream(
      descriptor: STDERR_FILENO, name: "standard error", environment: environment)
  }

  /// A stream on an open descriptor, which stays its caller's; errors speak of it as `name`.
  public init(descriptor: Int32, name: String, environment: [String: String]) {
    self.descriptor = descriptor
    self.name = name
    canPaint = isatty(descriptor) == 1 && !["", "dumb"].contains(environment["TERM"] ?? "")
  }

  /// Asked anew each time, since windows change their size.
  public var terminal: TerminalSize? {
    guard canPaint else { return nil }
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return TerminalSize(columns: 80, rows: 24) }
    return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// Writes all of the text, waiting where the stream is full.
  public func write(_ text: String) throws(OutputError) {
    try write(Array(text.utf8).span)
  }

  /// Writes all bytes, waiting where the stream is full.
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

  /// Another program sharing the terminal may have made it non-blocking.
  private func waitUntilWritable() {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&entry, 1, -1)
  }
}
