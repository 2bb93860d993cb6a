/// The head of a received request.
public struct RequestHead: Hashable, Sendable {
  /// One header field.
  public struct Field: Hashable, Sendable {
    /// The name, in upper or lower case.
    public var name: String
    /// The value.
    public var value: String

    /// A field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// `GET`, `PUT` and so on.
  public var method: String
  /// The path, without escapes and without a query.
  public var path: String
  /// Header fields in order.
  public var fields: [Field]
  /// The parts of the query in order, without escapes.
  public var query: [Field]

  /// A head with the given parts.
  public init(_ method: String, _ path: String, fields: [Field] = [], query: [Field] = []) {
    self.method = method
    self.path = path
    self.fields = fields
    self.query = query
  }

  /// The value of the first field of this name, in upper or lower case.
  public subscript(name: String) -> String? { fields.first { $0.isNamed(name) }?.value }
}

extension RequestHead.Field {
  /// Whether it has this name, in upper or lower case. Names are ASCII.
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
  /// The status code.
  public var status: Int
  /// Header fields, apart from those that the server writes itself.
  public var fields: [RequestHead.Field]
  /// The body. A `HEAD` request is answered only with its length.
  public var body: [UInt8]

  /// An answer.
  public init(_ status: Int, fields: [RequestHead.Field] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}
