internal import Values

/// Determines, from a request's head, where the body ends.
///
/// If a proxy interpreted a head differently, it could treat part of a body as the next request.
/// The server therefore rejects an ambiguous head (RFC 9112, sections 5.1, 6.1 and 6.3).
enum BodyFraming: Hashable {
  case empty
  /// The body has this many bytes.
  case length(Int)
  /// The body uses chunked transfer coding: each piece begins with its length.
  case pieces

  /// The reason a head is ambiguous.
  struct Ambiguity: Error, Hashable {
    var reason: String
  }

  /// Fields that must not be repeated, because their values could contradict each other.
  private static let singleFields = [
    "host", "content-length", "transfer-encoding", "content-encoding", "authorization",
  ]

  /// `version` is the request's HTTP version, such as `HTTP/1.1`.
  init(of head: RequestHead, version: String) throws(Ambiguity) {
    for field in head.fields {
      guard Self.isToken(field.name) else {
        throw Ambiguity(reason: "the name of a header field contains an invalid character")
      }
      guard field.value.utf8.allSatisfy({ $0 == 0x9 || ($0 >= 0x20 && $0 != 0x7f) }) else {
        throw Ambiguity(reason: "the field \(field.name) contains a control character")
      }
    }
    // The library leaves a path that contains `%00` unchanged. Some programs would end the path at
    // the zero byte, and others would not.
    guard !head.path.holds("%00") else {
      throw Ambiguity(reason: "the path contains an escaped zero byte")
    }
    for name in Self.singleFields where head.fields.count(where: { $0.isNamed(name) }) > 1 {
      throw Ambiguity(reason: "the field \(name) is repeated")
    }
    switch (head["content-length"], head["transfer-encoding"]) {
    case (nil, nil): self = .empty
    case (.some, .some):
      throw Ambiguity(reason: "content-length and transfer-encoding contradict each other")
    case (let length?, nil):
      // The library rejects most invalid values of Content-Length before it reports the head. It
      // then sends its own error page (400 or 413) and closes the connection; the server cannot
      // change this. Eighteen digits always fit in 64 bits.
      guard (1...18).contains(length.utf8.count), length.utf8.allSatisfy(Self.isDigit),
        let count = Int(length)
      else { throw Ambiguity(reason: "content-length is not a number of bytes") }
      self = count == 0 ? .empty : .length(count)
    case (nil, let encoding?):
      guard version == "HTTP/1.1", Self.trimmed(encoding).lowercased() == "chunked" else {
        throw Ambiguity(reason: "transfer-encoding must be chunked, and needs HTTP/1.1")
      }
      self = .pieces
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isToken(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
          || "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
  }

  private static func trimmed(_ value: String) -> Substring {
    let rest = value.drop { $0 == " " || $0 == "\t" }
    guard let last = rest.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return rest[...last]
  }
}
