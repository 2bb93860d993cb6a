/// The head of a received request.
public struct RequestHead: Hashable, Sendable {
  public struct Field: Hashable, Sendable {
    /// Upper and lower case are equivalent.
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The HTTP method, such as `GET`.
  public var method: String
  /// The URL's path, unescaped and without the query.
  public var path: String
  /// The header fields in order.
  public var fields: [Field]
  /// The query parameters in order, unescaped.
  public var query: [Field]
  /// The client that sent the request. For IPv6, only the client's network is recorded, because a
  /// computer can use any address in that network.
  public var client = ClientAddress(0)

  public init(_ method: String, _ path: String, fields: [Field] = [], query: [Field] = []) {
    self.method = method
    self.path = path
    self.fields = fields
    self.query = query
  }

  /// Returns the value of the first field with this name, ignoring case.
  public subscript(name: String) -> String? { fields.first { $0.isNamed(name) }?.value }
}

extension RequestHead {
  /// If `path` is an absolute URL, as sent to proxies (RFC 9112, 3.2.2), replaces it with that
  /// URL's path. Returns `false` if the URL names a different host from the field `Host`.
  mutating func takeOrigin() -> Bool {
    guard let scheme = ["http://", "https://"].first(where: { path.hasPrefix($0) }) else {
      return true
    }
    let rest = path.dropFirst(scheme.utf8.count)
    let authority = rest.prefix { $0 != "/" }
    path = authority.endIndex == rest.endIndex ? "/" : String(rest[authority.endIndex...])
    return self["host"] == String(authority)
  }
}

/// The part of a client's address that distinguishes the client from others.
public struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
  /// The number that `cmicrohttpd_client` uses to identify the client.
  private let number: UInt64

  /// Creates an address from the result of `cmicrohttpd_client`.
  public init(_ number: UInt64) { self.number = number }

  /// The address in its usual notation, such as `192.168.4.20` or `2001:db8:0:7::/64`.
  public var description: String {
    if number >> 32 == 1 {
      return (0..<4).map { "\(number >> (24 - 8 * $0) & 0xff)" }.joined(separator: ".")
    }
    let groups = (0..<4).map { String(number >> (48 - 16 * $0) & 0xffff, radix: 16) }
    return groups.joined(separator: ":") + "::/64"
  }
}

extension RequestHead.Field {
  /// Returns whether the field has this name, ignoring the case of ASCII letters.
  func isNamed(_ other: String) -> Bool {
    func lower(_ byte: UInt8) -> UInt8 {
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
    return name.utf8.count == other.utf8.count
      && zip(name.utf8, other.utf8).allSatisfy { lower($0) == lower($1) }
  }
}

public struct ServerResponse: Hashable, Sendable {
  public var status: Int
  /// The header fields, without the fields that the server itself adds.
  public var fields: [RequestHead.Field]
  /// For a `HEAD` request, only the body's length is sent.
  public var body: [UInt8]

  public init(_ status: Int, fields: [RequestHead.Field] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}
