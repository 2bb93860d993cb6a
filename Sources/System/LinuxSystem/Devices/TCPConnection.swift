internal import CLinux
internal import Glibc

/// A TCP connection that its owner polls. Its operations do not block.
///
/// Only the host name lookup can block, possibly for several seconds.
public struct TCPConnection: ~Copyable, Sendable {
  private let descriptor: OwnedDescriptor
  private let peer: String

  /// Starts connecting. Poll `number` for writability, then call `finishConnecting`.
  public init(host: String, port: UInt16) throws(SystemError) {
    let peer = "\(host):\(port)"
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(clinux_stream)
    unsafe hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, "\(port)", &hints, &list) == 0, let list = unsafe list else {
      throw SystemError("look up the host \(host)", number: EHOSTUNREACH)
    }
    defer { unsafe freeaddrinfo(list) }
    var failure = SystemError("connect to \(peer)", number: EHOSTUNREACH)
    var entry: UnsafeMutablePointer<addrinfo>? = unsafe list
    var found: OwnedDescriptor?
    while let address = unsafe entry, found == nil {
      unsafe entry = address.pointee.ai_next
      let number = unsafe socket(
        address.pointee.ai_family, Int32(clinux_stream_socket), 0)
      guard number >= 0 else {
        failure = SystemError("create a socket for \(peer)")
        continue
      }
      let candidate = OwnedDescriptor(owning: number)
      // `localhost` can have two addresses. One of them may refuse the connection at once, although
      // the other would accept it.
      let outcome = unsafe connect(number, address.pointee.ai_addr, address.pointee.ai_addrlen)
      if outcome == 0 || errno == EINPROGRESS {
        found = consume candidate
      } else {
        failure = SystemError("connect to \(peer)")
      }
    }
    guard let descriptor = found.take() else { throw failure }
    self.descriptor = descriptor
    self.peer = peer
  }

  fileprivate init(owning descriptor: consuming OwnedDescriptor, peer: String) {
    self.descriptor = descriptor
    self.peer = peer
  }

  /// The file descriptor to poll.
  public var number: Int32 { descriptor.number }

  /// Completes the connection once the descriptor is writable. Throws if the attempt failed.
  public func finishConnecting() throws(SystemError) {
    var error: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &error, &length) == 0 else {
      throw SystemError("connect to \(peer)")
    }
    guard error == 0 else { throw SystemError("connect to \(peer)", number: error) }
  }

  /// Makes the kernel probe a peer once it has been silent for `seconds`, and then up to three more
  /// times at the same interval.
  public func keepAlive(seconds: Int32) {
    for (level, name, value) in [
      (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, seconds),
      (Int32(IPPROTO_TCP), TCP_KEEPINTVL, seconds), (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
    ] {
      var value = value
      // If the kernel does not support one of these options, the others still detect a lost peer.
      _ = unsafe setsockopt(number, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  /// Reads the available bytes. Returns the count, 0 if the peer has closed, or minus `errno`.
  public func read(into buffer: inout [UInt8]) -> Int {
    descriptor.read(into: &buffer)
  }

  /// Sends bytes without blocking. Returns the number of bytes accepted, or minus `errno`.
  public func send(_ bytes: [UInt8]) -> Int {
    descriptor.send(bytes)
  }

  /// Returns whether a return value of `read` or `send` means that the operation would have
  /// blocked.
  public static func isNothingYet(_ outcome: Int) -> Bool {
    outcome == -Int(EAGAIN) || outcome == -Int(EINTR)
  }
}

/// A listening socket on the loopback interface.
public struct TCPListener: ~Copyable, Sendable {
  private let descriptor: OwnedDescriptor
  public let port: UInt16

  /// Listens on a port of 127.0.0.1; 0 selects a free port.
  public init(port: UInt16 = 0) throws(SystemError) {
    let number = socket(AF_INET, Int32(clinux_stream_socket), 0)
    guard number >= 0 else { throw SystemError("create a socket") }
    let descriptor = OwnedDescriptor(owning: number)
    var on: Int32 = 1
    _ = unsafe setsockopt(
      number, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let outcome = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        guard unsafe bind(number, pointer, length) == 0, listen(number, 8) == 0 else {
          return Int32(-1)
        }
        return unsafe getsockname(number, pointer, &length)
      }
    }
    guard outcome == 0 else { throw SystemError("listen on port \(port)") }
    self.descriptor = descriptor
    self.port = UInt16(bigEndian: address.sin_port)
  }

  /// The descriptor to poll. It becomes readable when a client wants to connect.
  public var number: Int32 { descriptor.number }

  /// Accepts the next client. Returns `nil` if no client is waiting.
  public func accept() -> TCPConnection? {
    let number = clinux_accept(descriptor.number)
    guard number >= 0 else { return nil }
    return TCPConnection(owning: OwnedDescriptor(owning: number), peer: "a client")
  }
}
