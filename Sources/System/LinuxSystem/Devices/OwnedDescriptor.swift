internal import CLinux
internal import Glibc
internal import Synchronization

/// A file descriptor that closes itself when its owner is destroyed.
public struct OwnedDescriptor: ~Copyable, Sendable {
  /// The number, for use in calls; it remains owned here.
  public let number: Int32

  /// Takes over an open descriptor.
  public init(owning number: Int32) {
    precondition(number >= 0, "an owned descriptor must be open")
    self.number = number
    Computer.simulated?.opened(number)
  }

  deinit {
    Computer.simulated?.closes(number)
    _ = close(number)
  }

  /// Hands over the descriptor without closing it, to a library that closes it.
  public consuming func release() -> Int32 {
    let number = self.number
    discard self
    return number
  }

  /// Flag to open for reading only.
  public static let readOnly: Int32 = O_RDONLY

  /// Flags to open for reading without waiting for the writer of a named pipe, or for bytes.
  public static let readOnlyWithoutWaiting: Int32 = O_RDONLY | O_NONBLOCK

  /// Opens a path with `open(2)` flags; close-on-exec is added.
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

  /// Creates a file for writing, or empties an existing one.
  public static func create(_ path: String) throws(SystemError) -> OwnedDescriptor {
    try open(path, flags: O_WRONLY | O_CREAT | O_TRUNC)
  }

  /// Creates a named pipe if there is none, and opens it for writing without waiting for a reader.
  public static func openPipe(_ path: String) throws(SystemError) -> OwnedDescriptor {
    guard unsafe mkfifo(path, 0o600) == 0 || errno == EEXIST else {
      throw SystemError("make the pipe \(path)")
    }
    return try open(path, flags: O_RDWR | O_NONBLOCK)
  }

  /// Another descriptor for standard input, which itself stays open.
  public static func standardInput() throws(SystemError) -> OwnedDescriptor {
    let number = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
    guard number >= 0 else { throw SystemError("open standard input") }
    return OwnedDescriptor(owning: number)
  }

  /// A connected pair of SEQPACKET sockets, non-blocking and close-on-exec.
  public static func packetSocketPair() throws(SystemError) -> DescriptorPair {
    var numbers: [Int32] = [-1, -1]
    guard unsafe socketpair(AF_UNIX, Int32(clinux_packet_socket), 0, &numbers) == 0 else {
      throw SystemError("make a socket pair")
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

  /// Writes once. Returns the count of bytes accepted, or minus `errno`.
  public func write(_ bytes: [UInt8]) -> Int {
    write(bytes.span)
  }

  /// Writes the bytes of a span once. Returns the count of bytes accepted, or minus `errno`.
  public func write(_ bytes: Span<UInt8>) -> Int {
    let count = unsafe bytes.withUnsafeBytes { bytes in
      unsafe Glibc.write(number, bytes.baseAddress, bytes.count)
    }
    Computer.simulated?.wrote(to: number)
    return count < 0 ? -Int(errno) : count
  }

  /// Sends one packet on a socket without waiting. Returns the count, or minus `errno`.
  ///
  /// A peer that hung up is reported as an error and raises no signal.
  public func send(_ bytes: [UInt8]) -> Int {
    send(bytes.span)
  }

  /// Sends the bytes of a span as one packet. Returns the count, or minus `errno`.
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

  /// Waits until the descriptor can be written or its peer hung up, at most this many seconds.
  /// Returns at once in simulated time, in which no other thread could make room.
  public func waitUntilWritable(seconds: Double) {
    guard Computer.simulated == nil else { return }
    var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&entry, 1, Int32(seconds * 1_000))
  }

  /// Makes the kernel stamp each packet that arrives on this socket.
  public func stampArrivals() throws(SystemError) {
    var on: Int32 = 1
    let outcome = unsafe setsockopt(
      number, SOL_SOCKET, SO_TIMESTAMPNS, &on,
      socklen_t(MemoryLayout<Int32>.size))
    guard outcome == 0 else { throw SystemError("stamp arrivals on a socket") }
  }
}

/// Two connected descriptors; a tuple cannot hold non-copyable values.
public struct DescriptorPair: ~Copyable, Sendable {
  /// The end that stays.
  public var near: OwnedDescriptor
  /// The end that is handed over.
  public var far: OwnedDescriptor

  /// Splits the pair: the near end stays, and `take` receives the far end.
  public consuming func split(
    _ take: (consuming OwnedDescriptor) throws -> Void
  ) rethrows -> OwnedDescriptor {
    let near = self.near
    try take(self.far)
    return near
  }
}

/// Carries one descriptor between threads in a message, which a plain owned value cannot do.
///
/// Closes the descriptor if it is not taken.
public final class DescriptorBox: Sendable {
  /// The number, or -1 after it was taken.
  private let held: Atomic<Int32>

  public init(_ descriptor: consuming OwnedDescriptor) {
    held = Atomic(descriptor.release())
  }

  deinit {
    _ = take()
  }

  /// The descriptor on the first call, then `nil`.
  public func take() -> OwnedDescriptor? {
    // Safety: the side that exchanges the number for -1 owns it; acquire-release orders the two.
    let number = held.exchange(-1, ordering: .acquiringAndReleasing)
    return number >= 0 ? OwnedDescriptor(owning: number) : nil
  }
}
