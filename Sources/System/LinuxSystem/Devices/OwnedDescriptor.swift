internal import CLinux
internal import Glibc
internal import Synchronization

/// A file descriptor that is closed when its owner is destroyed.
public struct OwnedDescriptor: ~Copyable, Sendable {
  /// The descriptor's number, to be passed to system calls. This value still owns the descriptor.
  public let number: Int32

  public init(owning number: Int32) {
    precondition(number >= 0, "an owned descriptor must be open")
    self.number = number
    Computer.simulated?.opened(number)
  }

  deinit {
    Computer.simulated?.closes(number)
    _ = close(number)
  }

  /// Returns the descriptor without closing it. Used for a library that closes the descriptor
  /// itself.
  public consuming func release() -> Int32 {
    let number = self.number
    discard self
    return number
  }

  public static let readOnly: Int32 = O_RDONLY

  /// The flags that open a file for non-blocking reading. Opening a named pipe does not wait for a
  /// writer.
  public static let readOnlyWithoutWaiting: Int32 = O_RDONLY | O_NONBLOCK

  /// Opens the file at a path with these `open(2)` flags. Close-on-exec is always added.
  public static func open(
    _ path: String, flags: Int32, mode: UInt32 = 0o644
  ) throws(SystemError) -> OwnedDescriptor {
    if flags & O_CREAT != 0, Computer.simulated != nil, !Folder.exists(path),
      let error = Computer.admit(path, { .create($0) })
    {
      throw SystemError("open \(path)", number: error)
    }
    let number = unsafe Glibc.open(path, flags | O_CLOEXEC, mode)
    guard number >= 0 else { throw SystemError("open \(path)") }
    return OwnedDescriptor(owning: number)
  }

  /// Opens a file for writing. Creates the file, or truncates an existing one.
  public static func create(_ path: String) throws(SystemError) -> OwnedDescriptor {
    try open(path, flags: O_WRONLY | O_CREAT | O_TRUNC)
  }

  /// Opens a named pipe for writing without waiting for a reader. Creates the pipe if the file does
  /// not exist.
  public static func openPipe(_ path: String) throws(SystemError) -> OwnedDescriptor {
    guard unsafe mkfifo(path, 0o600) == 0 || errno == EEXIST else {
      throw SystemError("create the pipe \(path)")
    }
    return try open(path, flags: O_RDWR | O_NONBLOCK)
  }

  /// Returns a duplicate of standard input. Standard input itself stays open.
  public static func standardInput() throws(SystemError) -> OwnedDescriptor {
    let number = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
    guard number >= 0 else { throw SystemError("open standard input") }
    return OwnedDescriptor(owning: number)
  }

  /// Returns a connected pair of SEQPACKET sockets, non-blocking and close-on-exec.
  public static func packetSocketPair() throws(SystemError) -> DescriptorPair {
    var numbers: [Int32] = [-1, -1]
    guard unsafe socketpair(AF_UNIX, Int32(clinux_packet_socket), 0, &numbers) == 0 else {
      throw SystemError("create a socket pair")
    }
    let pair = DescriptorPair(
      near: OwnedDescriptor(owning: numbers[0]), far: OwnedDescriptor(owning: numbers[1]))
    Computer.simulated?.connected(numbers[0], numbers[1])
    return pair
  }

  /// Reads the available bytes into a buffer, up to its length. Returns the count, or minus
  /// `errno`.
  public func read(into buffer: inout [UInt8]) -> Int {
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe Glibc.read(number, bytes.baseAddress, bytes.count)
    }
    return count < 0 ? -Int(errno) : count
  }

  /// Calls `write(2)` once. Returns the number of bytes accepted, or minus `errno`.
  public func write(_ bytes: [UInt8]) -> Int {
    write(bytes.span)
  }

  /// Calls `write(2)` once. Returns the number of bytes accepted, or minus `errno`.
  public func write(_ bytes: Span<UInt8>) -> Int {
    let count = unsafe bytes.withUnsafeBytes { bytes in
      unsafe Glibc.write(number, bytes.baseAddress, bytes.count)
    }
    Computer.simulated?.wrote(to: number)
    return count < 0 ? -Int(errno) : count
  }

  /// Sends one packet on a socket without blocking. Returns the number of bytes sent, or minus
  /// `errno`.
  ///
  /// If the peer has hung up, the call returns an error instead of raising SIGPIPE.
  public func send(_ bytes: [UInt8]) -> Int {
    send(bytes.span)
  }

  /// Sends a span's bytes as one packet. Returns the number of bytes sent, or minus `errno`.
  public func send(_ bytes: Span<UInt8>) -> Int {
    let count = unsafe bytes.withUnsafeBytes { bytes in
      unsafe Glibc.send(
        number, bytes.baseAddress, bytes.count, Int32(clinux_send_flags))
    }
    guard count >= 0 else { return -Int(errno) }
    if let computer = Computer.simulated {
      computer.sent(on: number)
      computer.wrote(to: number)
    }
    return count
  }

  /// Waits until the descriptor is writable or its peer has hung up, for at most `seconds`. In
  /// simulated time, this returns at once, because no other thread could free space during the
  /// wait.
  public func waitUntilWritable(seconds: Double) {
    guard Computer.simulated == nil else { return }
    var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&entry, 1, Int32(seconds * 1_000))
  }

  /// Makes the kernel timestamp each packet that arrives on this socket.
  public func stampArrivals() throws(SystemError) {
    var on: Int32 = 1
    let outcome = unsafe setsockopt(
      number, SOL_SOCKET, SO_TIMESTAMPNS, &on,
      socklen_t(MemoryLayout<Int32>.size))
    guard outcome == 0 else { throw SystemError("enable timestamps on a socket") }
  }
}

/// Two connected descriptors. This type exists because a tuple cannot contain non-copyable values.
public struct DescriptorPair: ~Copyable, Sendable {
  /// The end that the caller keeps.
  public var near: OwnedDescriptor
  /// The end that is passed to another owner.
  public var far: OwnedDescriptor

  /// Splits the pair: returns the near end, and passes the far end to `take`.
  public consuming func split(
    _ take: (consuming OwnedDescriptor) throws -> Void
  ) rethrows -> OwnedDescriptor {
    let near = self.near
    try take(self.far)
    return near
  }
}

/// Wraps a descriptor so that a message can transfer it to another thread. A message cannot contain
/// a non-copyable value.
///
/// The descriptor is closed if no thread takes it.
public final class DescriptorBox: Sendable {
  /// The descriptor's number, or -1 once the descriptor has been taken.
  private let held: Atomic<Int32>

  public init(_ descriptor: consuming OwnedDescriptor) {
    held = Atomic(descriptor.release())
  }

  deinit {
    _ = take()
  }

  /// Returns the descriptor on the first call, and `nil` on later calls.
  public func take() -> OwnedDescriptor? {
    // Safety: the thread that exchanges the number for -1 owns the descriptor. Acquire-release
    // ordering synchronises the two threads.
    let number = held.exchange(-1, ordering: .acquiringAndReleasing)
    return number >= 0 ? OwnedDescriptor(owning: number) : nil
  }
}
