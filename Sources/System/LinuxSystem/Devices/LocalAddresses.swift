internal import Glibc

/// The addresses of this computer's active network interfaces.
public enum LocalAddresses {
  /// Returns the current numeric IPv4 and IPv6 addresses, including loopback addresses. An IPv6
  /// address may end with `%` and an interface name. Returns an empty set if the kernel does not
  /// report the addresses.
  public static func all() -> Set<String> {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&list) == 0 else { return [] }
    // Safety: the C library owns the list until it is freed here, and each address is copied to a
    // string before that.
    defer { unsafe freeifaddrs(list) }
    var addresses: Set<String> = []
    var entry = unsafe list
    while let current = unsafe entry {
      if let address = unsafe current.pointee.ifa_addr,
        unsafe current.pointee.ifa_flags & UInt32(IFF_UP) != 0,
        let text = unsafe text(of: address)
      {
        addresses.insert(text)
      }
      unsafe entry = current.pointee.ifa_next
    }
    return addresses
  }

  private static func text(of address: UnsafeMutablePointer<sockaddr>) -> String? {
    let length: Int
    switch Int32(unsafe address.pointee.sa_family) {
    case AF_INET: length = MemoryLayout<sockaddr_in>.size
    case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
    default: return nil
    }
    var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let outcome = unsafe getnameinfo(
      address, socklen_t(length), &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
    guard outcome == 0 else { return nil }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
