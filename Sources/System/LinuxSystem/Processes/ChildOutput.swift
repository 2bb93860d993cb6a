internal import CLinux
internal import Glibc
internal import Values

/// A pipe for the output of a child process, which inherits the writing end.
public struct ChildOutput: ~Copyable {
  private let reading: OwnedDescriptor
  /// The writing end, which the child inherits.
  public let writing: OwnedDescriptor

  /// Opens a pipe whose ends are both close-on-exec.
  public init() throws(SystemError) {
    var numbers: [Int32] = [-1, -1]
    // Writes to this pipe block. In non-blocking mode, a write would fail with EAGAIN once 64 KiB
    // are unread, and most programs would then give up.
    guard unsafe clinux_pipe(&numbers, O_CLOEXEC) == 0 else {
      throw SystemError("open a pipe")
    }
    reading = OwnedDescriptor(owning: numbers[0])
    writing = OwnedDescriptor(owning: numbers[1])
  }

  /// Closes the writing end in this process. The output then ends when the child closes its own
  /// copy.
  public consuming func closeWriting() -> ChildOutputReader {
    ChildOutputReader(reading)
  }
}

/// The end of the pipe from which the child's output is read.
public struct ChildOutputReader: ~Copyable {
  private let descriptor: OwnedDescriptor

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
  }

  /// Reads all output on a separate thread, until the writer closes the pipe.
  public consuming func all() async throws -> String {
    let box = DescriptorBox(descriptor)
    return try await withCheckedThrowingContinuation { continuation in
      do {
        try NamedThread("output") {
          guard let descriptor = box.take() else { return continuation.resume(returning: "") }
          continuation.resume(returning: Self.read(descriptor))
        }.letGo()
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  private static func read(_ descriptor: consuming OwnedDescriptor) -> String {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    var polls = PollSet()
    polls.add(descriptor.number)
    while true {
      let count = descriptor.read(into: &buffer)
      switch count {
      case 1...: all += buffer[..<count]
      case -Int(EAGAIN), -Int(EINTR): polls.wait(seconds: nil)
      default: return String(decoding: all, as: UTF8.self)
      }
    }
  }

  /// Returns the first line without its newline. Returns `nil` if no complete line arrives within
  /// `seconds`.
  public func firstLine(seconds: Double) -> String? {
    var line: [UInt8] = []
    let deadline = BootClock.now().advanced(bySeconds: seconds)
    var polls = PollSet()
    let position = polls.add(descriptor.number)
    while true {
      let left = deadline.seconds(since: BootClock.now())
      guard left > 0 else { return nil }
      polls.wait(seconds: left)
      guard polls.isReadable(position) || polls.isHungUp(position) else { continue }
      var byte: [UInt8] = [0]
      let count = descriptor.read(into: &byte)
      if count == 0 { return nil }
      guard count == 1 else { continue }
      if byte[0] == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte[0])
    }
  }
}
