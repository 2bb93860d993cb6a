internal import CLinux
internal import Glibc

/// A listening socket in the file system for programs on this computer. The user and group that own
/// its file can connect.
public struct LocalListener: ~Copyable, Sendable {
  private let descriptor: OwnedDescriptor
  private let path: String

  /// Listens at `path`, and replaces a socket left behind by a program that has ended. Throws
  /// `EADDRINUSE` if another program is listening there.
  public init(path: String) throws(SystemError) {
    let failed = "listen at \(path)"
    if Folder.exists(path) {
      let other = unsafe clinux_local_connect(path)
      guard other < 0 else {
        _ = close(other)
        throw SystemError(failed, number: EADDRINUSE)
      }
      let reason = errno
      // A socket without a listener refuses the connection and is replaced. A file that is not a
      // socket also refuses the connection, but is kept.
      guard reason == ECONNREFUSED, Folder.isSocket(path) else {
        throw SystemError(failed, number: reason == ECONNREFUSED ? EEXIST : reason)
      }
      guard unsafe Glibc.unlink(path) == 0 else { throw SystemError(failed) }
    }
    try Folder.make(forFile: path)
    let number = unsafe clinux_local_listen(path, 64)
    guard number >= 0 else { throw SystemError(failed) }
    descriptor = OwnedDescriptor(owning: number)
    self.path = path
  }

  deinit {
    _ = unsafe Glibc.unlink(path)
  }

  /// The descriptor to poll. It becomes readable when a program wants to connect.
  public var number: Int32 { descriptor.number }

  /// Accepts the next connection. Returns `nil` if no program is waiting to connect.
  public func accept() -> LocalConnection? {
    let number = clinux_accept(descriptor.number)
    return number < 0 ? nil : LocalConnection(owning: OwnedDescriptor(owning: number))
  }
}

/// A non-blocking connection between two programs on this computer.
public struct LocalConnection: ~Copyable, Sendable {
  private let descriptor: OwnedDescriptor

  /// Connects to the program that listens at `path`. If too many other programs are waiting to
  /// connect, the error's `isTemporary` is true.
  public init(to path: String) throws(SystemError) {
    let number = unsafe clinux_local_connect(path)
    guard number >= 0 else { throw SystemError("connect to \(path)") }
    descriptor = OwnedDescriptor(owning: number)
  }

  fileprivate init(owning descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
  }

  /// The file descriptor to poll.
  public var number: Int32 { descriptor.number }

  public consuming func release() -> OwnedDescriptor { descriptor }

  /// Reads the available bytes. Returns the count, 0 if the other end has closed, or minus `errno`.
  public func read(into buffer: inout [UInt8]) -> Int { descriptor.read(into: &buffer) }

  /// Sends as many bytes as the socket accepts. Returns the number of bytes accepted, or minus
  /// `errno`.
  public func send(_ bytes: [UInt8]) -> Int { descriptor.send(bytes) }
}
