internal import CLinux
internal import Glibc
internal import Values

/// A pipe for the output of a child process, which inherits its writing end.
public struct ChildOutput: ~Copyable {
  private let reading: OwnedDescriptor
  /// The end that the child inherits.
  public let writing: OwnedDescriptor

  /// Opens a pipe; both ends are close-on-exec.
  public init() throws(SystemError) {
    var numbers: [Int32] = [-1, -1]
    // Writes wait for room: most programs give up on EAGAIN, after the 64 KiB of a pipe.
    guard unsafe clinux_pipe(&numbers, 1) == 0 else {
      throw SystemError("open a pipe")
    }
    reading = OwnedDescriptor(owning: numbers[0])
    writing = OwnedDescriptor(owning: numbers[1])
  }

  /// Closes the writing end here, so that the pipe ends with the child.
  public consuming func closeWriting() -> ChildOutputReader {
    ChildOutputReader(reading)
  }
}

/// The reading end of a pipe.
public struct ChildOutputReader: ~Copyable {
  private let descriptor: OwnedDescriptor

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
  }

  /// All output until the writer ends, read by a separate thread.
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

  /// The first line without its newline; `nil` if none arrives in time or the writer ends before
  /// it.
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
