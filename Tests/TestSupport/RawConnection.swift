internal import CLinux
internal import Glibc
public import LinuxSystem

/// A connection to a server on the loopback interface, over a plain socket that can send valid and
/// invalid bytes.
public final class RawConnection {
  /// An HTTP response from the server.
  public struct Answer: Sendable {
    public var status: Int
    /// The header fields, by lower-case name.
    public var fields: [String: String]
    public var body: [UInt8]

    public var text: String { String(decoding: body, as: UTF8.self) }
  }

  private let descriptor: OwnedDescriptor
  private var received: [UInt8] = []

  /// Connects to a port. A response that takes longer than this many seconds is considered missing.
  public init(port: UInt16, within seconds: Int = Int(patience)) throws(SystemError) {
    let number = socket(AF_INET, Int32(clinux_stream), 0)
    guard number >= 0 else { throw SystemError("create a socket") }
    let descriptor = OwnedDescriptor(owning: number)
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    _ = unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    _ = unsafe setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    let outcome = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe connect(number, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard outcome == 0 else { throw SystemError("connect to port \(port)") }
    self.descriptor = descriptor
  }

  /// Sends all of these bytes. Returns whether the server accepted them.
  @discardableResult
  public func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe Glibc.send(
          descriptor.number, bytes.baseAddress, bytes.count, Int32(clinux_waiting_send_flags))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  @discardableResult
  public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Sends a request with a matching Content-Length.
  @discardableResult
  public func send(
    _ method: String, _ path: String, fields: [(String, String)] = [], body: [UInt8]? = nil
  ) -> Bool {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    return send(Array((head + "\r\n").utf8) + (body ?? []))
  }

  /// Closes the sending side of the connection.
  public func finish() {
    _ = shutdown(descriptor.number, Int32(SHUT_WR))
  }

  /// Returns the next response, or `nil` if the server hung up or remained silent. If `isToHead` is
  /// true, the response has no body.
  public func answer(isToHead: Bool = false) -> Answer? {
    while true {
      if let end = headEnd {
        let lines = String(decoding: received[..<end], as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first.flatMap({ Int($0.split(separator: " ")[1]) }) else {
          return nil
        }
        received.removeFirst(end + 4)
        // An interim response that only permits the client to continue.
        if status == 100 { continue }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
          let parts = line.split(separator: ":", maxSplits: 1)
          guard parts.count == 2 else { continue }
          fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        let length = isToHead ? 0 : fields["content-length"].flatMap { Int($0) } ?? 0
        while received.count < length { guard more() else { return nil } }
        let body = Array(received.prefix(length))
        received.removeFirst(length)
        return Answer(status: status, fields: fields, body: body)
      }
      guard more() else { return nil }
    }
  }

  /// Sends a request and waits for its response.
  public func ask(
    _ method: String, _ path: String, fields: [(String, String)] = [], body: [UInt8]? = nil
  ) -> Answer? {
    send(method, path, fields: fields, body: body)
    return answer(isToHead: method == "HEAD")
  }

  /// Returns whether the server closes the connection, in any way, without sending anything first.
  public func isClosed() -> Bool {
    guard received.isEmpty else { return false }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = descriptor.read(into: &buffer)
    return count == 0 || count == -Int(ECONNRESET)
  }

  /// Returns whether the server closes the connection, in any way, even after sending something.
  public func isOver() -> Bool {
    while more() {}
    received = []
    return isClosed()
  }

  private var headEnd: Int? {
    guard received.count >= 4 else { return nil }
    return (0...(received.count - 4)).first {
      received[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10])
    }
  }

  /// Returns the bytes received since the last call, or waits for the next ones. Returns `nil` if
  /// the server hung up or was silent.
  public func bytes() -> [UInt8]? {
    guard !received.isEmpty || more() else { return nil }
    defer { received = [] }
    return received
  }

  private func more() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = descriptor.read(into: &buffer)
    guard count > 0 else { return false }
    received += buffer[..<count]
    return true
  }
}
