internal import CLinux
internal import Glibc

/// A listening socket in the file system, for requests of programs on this computer. Its file is
/// accessible to its user and group.
public struct LocalListener: ~Copyable, Sendable {
  private let descriptor: OwnedDescriptor
  private let path: String

  /// Listens at `path`; the socket of a program that has ended is replaced. If another program
  /// listens there, the error has the number of an address in use.
  public init(path: String) throws(SystemError) {
    let failed = "listen at \(path)"
    if Folder.exists(path) {
      let other = unsafe clinux_local_connect(path)
      guard other < 0 else {
        _ = close(other)
        throw SystemError(failed, number: EADDRINUSE)
      }
      let reason = errno
      // A socket that no program listens at refuses the connection, and so does a file that is not
      // a socket, which is kept.
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

  /// The descriptor to poll: it is readable when a program wants to connect.
  public var number: Int32 { descriptor.number }

  /// Accepts the next program; `nil` if none waits.
  public func accept() -> LocalConnection? {
    let number = clinux_accept(descriptor.number)
    return number < 0 ? nil : LocalConnection(owning: OwnedDescriptor(owning: number))
  }
}

/// A connection between two programs of this computer; neither end waits.
public struct LocalConnection: ~Copyable, Sendable {
  private let descriptor: OwnedDescriptor

  /// Connects to the program that listens at `path`. The error is temporary if too many other
  /// programs wait.
  public init(to path: String) throws(SystemError) {
    let number = unsafe clinux_local_connect(path)
    guard number >= 0 else { throw SystemError("connect to \(path)") }
    descriptor = OwnedDescriptor(owning: number)
  }

  fileprivate init(owning descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
  }

  /// The descriptor to poll.
  public var number: Int32 { descriptor.number }

  /// Hands over the descriptor.
  public consuming func release() -> OwnedDescriptor { descriptor }

  /// Reads the available bytes. Returns the count, 0 if the other end has closed, or minus `errno`.
  public func read(into buffer: inout [UInt8]) -> Int { descriptor.read(into: &buffer) }

  /// Sends as much as fits. Returns the count of bytes accepted, or minus `errno`.
  public func send(_ bytes: [UInt8]) -> Int { descriptor.send(bytes) }
}
