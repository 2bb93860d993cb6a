import HTTPServer
import LinuxSystem
import TestSupport
import Testing
import Values
import Web

/// A page that is served over real sockets.
final class PageWorld {
  let folder: TemporaryFolder
  let content: ScriptedContent
  let access: PageAccess
  let handler: PageHandler
  let server: HTTPServer

  init(_ content: ScriptedContent = ScriptedContent()) throws {
    self.content = content
    folder = try TemporaryFolder(prefix: "footbridge-page")
    let socket = try ListeningSocket(ListenAddress(host: "127.0.0.1", port: 0))
    let devices = PairedDevices(DeviceFile(besides: "\(folder.path)/walks.sqlite"))
    access = PageAccess(
      devices,
      HostRule(port: socket.address.port, isEncrypted: false, computer: "trail-1"))
    handler = try PageHandler(content, access, version: "1.2.3")
    server = try HTTPServer(on: socket, limits: .patient, handler: handler)
  }

  deinit {
    handler.stop()
    server.stop()
    folder.remove()
  }

  var port: UInt16 { server.address.port }
  var origin: String { "http://127.0.0.1:\(port)" }

  /// Sends a request in the form that the page uses.
  func ask(
    _ method: String, _ path: String, cookie: String? = nil, host: String? = nil,
    origin: String? = nil, type: String = "application/json", more: [(String, String)] = [],
    body: String? = nil
  ) throws -> RawConnection.Answer? {
    let client = try RawConnection(port: port)
    var head = "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n"
    if let cookie { head += "Cookie: \(cookie)\r\n" }
    for (name, value) in more { head += "\(name): \(value)\r\n" }
    if let body {
      head += "Origin: \(origin ?? self.origin)\r\nContent-Type: \(type)\r\n"
      head += "Content-Length: \(body.utf8.count)\r\n"
    }
    client.send(head + "\r\n" + (body ?? ""))
    return client.answer(isToHead: method == "HEAD")
  }

  /// Requests a session as a file, over a connection that is closed afterwards.
  func beginDownload(_ format: String, cookie: String) throws -> RawConnection {
    let client = try RawConnection(port: port)
    client.send(
      "GET /api/v1/sessions/\(UniqueID(high: 1, low: 1))/export?format=\(format) HTTP/1.1\r\n"
        + "Host: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\nConnection: close\r\n\r\n")
    return client
  }

  /// Pairs a browser, and returns its cookie.
  func paired(_ role: AccessRole = .operate) throws -> String {
    let pin = access.offer(role).revealed
    let answer = try ask("POST", "/api/v1/pair", body: #"{"pin":"\#(pin)","name":"phone"}"#)
    #expect(answer?.status == 200 && answer?.text == #"{"role":"\#(role.rawValue)"}"#)
    let cookie = answer?.fields["set-cookie"] ?? ""
    #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
    return String(cookie.prefix { $0 != ";" })
  }
}
