internal import CLinux
internal import Glibc
internal import LinuxSystem

extension FaultServer {
  /// A port of 127.0.0.1 for a program that is started next.
  public static func freePort() throws -> UInt16 { try TCPListener().port }

  /// A port of 127.0.0.1 at which nothing listens. It stays taken until the tests end: otherwise a
  /// server of another test could get it.
  public static func deadPort() throws -> UInt16 {
    let number = socket(AF_INET, Int32(clinux_stream), 0)
    guard number >= 0 else { throw SystemError("make a socket") }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(number, pointer, length) == 0 && getsockname(number, pointer, &length) == 0
      }
    }
    guard isBound else { throw SystemError("take a port") }
    return UInt16(bigEndian: address.sin_port)
  }
}
