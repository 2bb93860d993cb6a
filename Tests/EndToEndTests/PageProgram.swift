import Foundation
import TestSupport
import Testing
import Values

/// A page served by a separate process, and a paired browser that uses plain sockets.
final class PageProgram: Sendable {
  let program: Program
  let port: UInt16
  private let cookie: String

  /// Serves the page of a store and pairs a browser.
  convenience init(
    _ store: String, role: String = "operate", _ options: String...,
    environment: [String: String]
  ) async throws {
    let program = try Program(
      Program.footbridge,
      ["web", "--store", store, "--listen", "127.0.0.1:0", "--role", role, "--json"] + options,
      environment: environment)
    guard let line = await program.line() else {
      let outcome = await program.wait(within: 1)
      throw Failure(description: "the page is not served: \(outcome.errors)")
    }
    try self.init(program, invitation: line)
  }

  /// Accepts the invitation of a program that serves a page, and thereby pairs a browser.
  init(_ program: Program, invitation: String) throws {
    self.program = program
    let invitation = try JSON(parsing: Array(invitation.utf8))
    port = try #require(
      invitation["addresses"]?.list?.first?.text?.split(separator: ":").last.flatMap { UInt16($0) })
    let pin = try #require(invitation["pin"]?.text)
    let client = try RawConnection(port: port)
    let body = #"{"pin":"\#(pin)","name":"test phone"}"#
    client.send(
      "POST /api/v1/pair HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nOrigin: http://127.0.0.1:\(port)\r\n"
        + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    let answer = client.answer()
    try #require(answer?.status == 200, "\(answer?.text ?? "no response")")
    cookie = String((answer?.fields["set-cookie"] ?? "").prefix { $0 != ";" })
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The cookie's value, for programs that send it themselves.
  var cookieField: String { cookie }

  /// Sends a request below `/api/v1/` as the page does.
  func ask(_ path: String, post body: String? = nil) throws -> RawConnection.Answer {
    let client = try connect(path, post: body)
    return try #require(client.answer(), "no answer to \(path)")
  }

  /// Returns the JSON of a response, whose status must be 200.
  func json(_ path: String, post body: String? = nil) throws -> JSON {
    let answer = try ask(path, post: body)
    try #require(answer.status == 200, "\(path): \(answer.text)")
    return try JSON(parsing: answer.body)
  }

  /// Returns a connection after sending a request on it.
  func connect(_ path: String, post body: String? = nil) throws -> RawConnection {
    let client = try RawConnection(port: port)
    var head = "\(body == nil ? "GET" : "POST") /api/v1/\(path) HTTP/1.1\r\n"
    head += "Host: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n"
    if let body {
      head += "Origin: http://127.0.0.1:\(port)\r\nContent-Type: application/json\r\n"
      head += "Content-Length: \(body.utf8.count)\r\n"
    }
    client.send(head + "\r\n" + (body ?? ""))
    return client
  }

  /// Returns the content of a chunked download.
  func download(_ path: String) throws -> [UInt8] {
    let client = try RawConnection(port: port)
    client.send(
      "GET /api/v1/\(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\n"
        + "Connection: close\r\n\r\n")
    var bytes: [UInt8] = []
    while let piece = client.bytes() { bytes += piece }
    let head = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)))
    var rest = bytes[head.upperBound...]
    var content: [UInt8] = []
    while let end = rest.firstRange(of: Array("\r\n".utf8)) {
      let size = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
      let count = try #require(Int(size, radix: 16), "no size of a piece: \(size)")
      if count == 0 { return content }
      content += rest[end.upperBound..<(end.upperBound + count)]
      rest = rest[(end.upperBound + count + 2)...]
    }
    throw Failure(description: "\(path) ends too early")
  }
}
