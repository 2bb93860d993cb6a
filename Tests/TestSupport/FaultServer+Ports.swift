internal import CLinux
internal import Glibc
internal import LinuxSystem

extension FaultServer {
  /// Returns a free port of 127.0.0.1 for a program that is about to start.
  public static func freePort() throws -> UInt16 { try TCPListener().port }

  /// Returns a free port of 127.0.0.1 for a program that is stopped and restarted. In the meantime,
  /// no other program is assigned the port, because the kernel assigns higher ports.
  public static func steadyPort() throws -> UInt16 {
    while true {
      let port = UInt16.random(in: 10_000..<30_000)
      guard let socket = try? take(port) else { continue }
      close(socket.number)
      return socket.port
    }
  }

  /// Returns a port of 127.0.0.1 on which no program listens. The port stays occupied until the
  /// tests end, so no other test's server can get it.
  public static func deadPort() throws -> UInt16 { try take(0).port }

  /// Returns a socket bound to this port of 127.0.0.1, or to any free port if it is 0.
  private static func take(_ port: UInt16) throws -> (number: Int32, port: UInt16) {
    let number = socket(AF_INET, Int32(clinux_stream), 0)
    guard number >= 0 else { throw SystemError("create a socket") }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(number, pointer, length) == 0 && getsockname(number, pointer, &length) == 0
      }
    }
    guard isBound else {
      let error = SystemError("take a port")
      close(number)
      throw error
    }
    return (number, UInt16(bigEndian: address.sin_port))
  }
}
