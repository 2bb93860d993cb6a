import TestSupport
import Testing

@testable import HTTPServer

/// The length and the encoding of a body, as declared in a request's header.
@Suite(.computation) struct BodyFramingTests {
  struct Case: CustomTestStringConvertible {
    var fields: [(String, String)]
    var framing: BodyFraming?
    var version = "HTTP/1.1"

    var testDescription: String { "\(fields) \(version)" }
  }

  @Test(arguments: [
    Case(fields: [], framing: .empty),
    Case(fields: [("Content-Length", "0")], framing: .empty),
    Case(fields: [("content-length", "17")], framing: .length(17)),
    Case(fields: [("Content-Length", "0017")], framing: .length(17)),
    Case(fields: [("Transfer-Encoding", "Chunked \t")], framing: .pieces),
    Case(fields: [("X-Text", "caf\u{e9}\tau lait")], framing: .empty),
    // Repeated or contradictory fields, or an invalid length.
    Case(fields: [("Content-Length", "3"), ("Content-Length", "3")]),
    Case(fields: [("Content-Length", "3"), ("Transfer-Encoding", "chunked")]),
    Case(fields: [("Content-Length", "-9223372036854775808"), ("Transfer-Encoding", "chunked")]),
    Case(fields: [("Content-Length", "-3")]), Case(fields: [("Content-Length", "+3")]),
    Case(fields: [("Content-Length", "3, 3")]), Case(fields: [("Content-Length", "0x3")]),
    Case(fields: [("Content-Length", "")]), Case(fields: [("Content-Length", "٣")]),
    Case(fields: [("Content-Length", "9999999999999999999")]),
    // Unsupported ways of delimiting a body.
    Case(fields: [("Transfer-Encoding", "xchunked")]),
    Case(fields: [("Transfer-Encoding", "gzip, chunked")]),
    Case(fields: [("Transfer-Encoding", "identity")]), Case(fields: [("Transfer-Encoding", "")]),
    Case(fields: [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "identity")]),
    Case(fields: [("Transfer-Encoding", "chunked")], version: "HTTP/1.0"),
    // Field names and values that other programs interpret differently.
    Case(fields: [("Content-Length ", "3")]), Case(fields: [(" Content-Length", "3")]),
    Case(fields: [("", "3")]), Case(fields: [("X\u{e9}", "3")]),
    Case(fields: [("X", "a\rContent-Length: 3")]), Case(fields: [("X", "a\u{7f}")]),
    Case(fields: [("Host", "a"), ("host", "b")]),
    Case(fields: [("Authorization", "Bearer a"), ("Authorization", "Bearer b")]),
  ])
  func `a body's length is read from a valid header, and an ambiguous header is rejected`(
    _ example: Case
  ) {
    let head = RequestHead("PUT", "/", fields: example.fields.map { .init($0.0, $0.1) })
    let framing = try? BodyFraming(of: head, version: example.version)
    #expect(framing == example.framing)
  }
}
