internal import CLinux
internal import Glibc

/// A listening socket and its address.
public struct ListeningSocket: ~Copyable {
  private let descriptor: OwnedDescriptor
  /// The socket's address. If port 0 was requested, it has the assigned port.
  public let address: ListenAddress

  public init(_ address: ListenAddress) throws(SystemError) {
    let failed = "listen at \(address)"
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(clinux_stream)
    unsafe hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(address.host, "\(address.port)", &hints, &list) == 0,
      let entry = unsafe list
    else { throw SystemError(failed, number: EADDRNOTAVAIL) }
    defer { unsafe freeaddrinfo(entry) }
    let number = unsafe socket(entry.pointee.ai_family, Int32(clinux_stream_socket), 0)
    guard number >= 0 else { throw SystemError(failed) }
    let descriptor = OwnedDescriptor(owning: number)
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    // The kernel may still have connections on this port that belonged to a killed server. Without
    // this option, they would prevent the new server from listening.
    _ = unsafe setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &on, size)
    // This lets separate servers listen on the same port for IPv4 and IPv6.
    if address.isIPv6 { _ = unsafe setsockopt(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
    guard unsafe bind(number, entry.pointee.ai_addr, entry.pointee.ai_addrlen) == 0,
      listen(number, 128) == 0
    else { throw SystemError(failed) }
    self.descriptor = descriptor
    self.address = ListenAddress(host: address.host, port: Self.port(of: number))
  }

  public consuming func takeDescriptor() -> OwnedDescriptor { descriptor }

  private static func port(of number: Int32) -> UInt16 {
    // In both address families, the port follows the first two bytes, in network byte order.
    var bytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
    var length = socklen_t(bytes.count)
    // Safety: the call writes at most `length` bytes into the buffer, which exists until the call
    // returns.
    unsafe bytes.withUnsafeMutableBytes { buffer in
      guard let base = buffer.baseAddress else { return }
      _ = unsafe getsockname(number, base.assumingMemoryBound(to: sockaddr.self), &length)
    }
    return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
  }
}
