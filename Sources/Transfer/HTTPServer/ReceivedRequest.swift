/// The head of a received request.
public struct RequestHead: Hashable, Sendable {
  /// One header field.
  public struct Field: Hashable, Sendable {
    /// The name, in upper or lower case.
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// `GET`, `PUT` and so on.
  public var method: String
  /// The path, without escapes and without a query.
  public var path: String
  /// In order.
  public var fields: [Field]
  /// The parts of the query in order, without escapes.
  public var query: [Field]
  /// The computer that sent the request. For IPv6 this is its network, since a computer may use
  /// every address of its network.
  public var client = ClientAddress(0)

  public init(_ method: String, _ path: String, fields: [Field] = [], query: [Field] = []) {
    self.method = method
    self.path = path
    self.fields = fields
    self.query = query
  }

  /// The value of the first field of this name, in upper or lower case.
  public subscript(name: String) -> String? { fields.first { $0.isNamed(name) }?.value }
}

extension RequestHead {
  /// Takes the path out of a whole address, as proxies send it (RFC 9112, 3.2.2). Returns whether
  /// the address names the same computer as `Host`.
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

/// A client's address, reduced to the part that distinguishes clients.
public struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
  /// See `cmicrohttpd_client`.
  private let number: UInt64

  /// An address from the number that `cmicrohttpd_client` returns.
  public init(_ number: UInt64) { self.number = number }

  /// The address as people write it, such as `192.168.4.20` or `2001:db8:0:7::/64`.
  public var description: String {
    if number >> 32 == 1 {
      return (0..<4).map { "\(number >> (24 - 8 * $0) & 0xff)" }.joined(separator: ".")
    }
    let groups = (0..<4).map { String(number >> (48 - 16 * $0) & 0xffff, radix: 16) }
    return groups.joined(separator: ":") + "::/64"
  }
}

extension RequestHead.Field {
  /// Whether the field has this name, ignoring case. Names are ASCII.
  func isNamed(_ other: String) -> Bool {
    func lower(_ byte: UInt8) -> UInt8 {
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
    return name.utf8.count == other.utf8.count
      && zip(name.utf8, other.utf8).allSatisfy { lower($0) == lower($1) }
  }
}

/// The answer to a request.
public struct ServerResponse: Hashable, Sendable {
  public var status: Int
  /// Apart from the fields that the server writes itself.
  public var fields: [RequestHead.Field]
  /// For a `HEAD` request only its length is sent.
  public var body: [UInt8]

  public init(_ status: Int, fields: [RequestHead.Field] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}
