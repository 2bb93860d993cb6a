internal import Glibc
internal import LinuxSystem

/// Standard output or standard error, unbuffered so that lines appear when they happen.
///
/// Writing may wait for ever, for an unread terminal or a stopped reader.
public struct StandardStream: TextSink {
  private let descriptor: Int32
  private let name: String
  private let canPaint: Bool
  /// Whether colours may be used: a terminal, and no `NO_COLOR`.
  public let hasColour: Bool

  /// Standard output; `environment` shows whether its terminal understands control sequences.
  public static func output(environment: [String: String]) -> StandardStream {
    StandardStream(
      descriptor: STDOUT_FILENO, name: "standard output", environment: environment)
  }

  public static func errors(environment: [String: String]) -> StandardStream {
    StandardStream(
      descriptor: STDERR_FILENO, name: "standard error", environment: environment)
  }

  /// A stream on an open descriptor, which the caller still owns; errors call it `name`.
  public init(descriptor: Int32, name: String, environment: [String: String]) {
    self.descriptor = descriptor
    self.name = name
    canPaint = isatty(descriptor) == 1 && !["", "dumb"].contains(environment["TERM"] ?? "")
    hasColour = canPaint && environment["NO_COLOR", default: ""].isEmpty
  }

  /// Read again each time, since windows change their size.
  public var terminal: TerminalSize? {
    guard canPaint else { return nil }
    guard let window = TerminalWindow.size(of: descriptor) else {
      return TerminalSize(columns: 80, rows: 24)
    }
    return TerminalSize(columns: window.columns, rows: window.rows)
  }

  /// The file behind it, for pipes and terminals too.
  public var place: SinkIdentity {
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else {
      return SinkIdentity(device: .max, file: UInt64(UInt32(bitPattern: descriptor)))
    }
    return SinkIdentity(device: UInt64(facts.st_dev), file: UInt64(facts.st_ino))
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

  /// Writes to the terminal if it has room at once.
  ///
  /// Opens the terminal a second time: non-blocking mode belongs to an opening, and ours is shared
  /// with the shell.
  public func writeAtOnce(_ text: String) {
    guard isatty(descriptor) == 1 else { return }
    let path = "/proc/self/fd/\(descriptor)"
    let number = unsafe open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard number >= 0 else { return }
    _ = OwnedDescriptor(owning: number).write(Array(text.utf8))
  }

  /// Another program sharing the terminal may have made it non-blocking.
  private func waitUntilWritable() {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&entry, 1, -1)
  }
}
