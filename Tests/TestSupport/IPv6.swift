internal import CLinux
internal import Glibc

/// Whether this computer has the IPv6 loopback address, which is missing in many containers.
public let hasIPv6: Bool = {
  let number = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
  guard number >= 0 else { return false }
  defer { close(number) }
  var address = sockaddr_in6()
  address.sin6_family = sa_family_t(AF_INET6)
  guard unsafe inet_pton(AF_INET6, "::1", &address.sin6_addr) == 1 else { return false }
  return unsafe withUnsafePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe bind(number, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
    }
  }
}()
