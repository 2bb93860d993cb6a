/// What is asked of a server.
public struct HTTPRequest: Sendable {
  /// `GET`, `PUT` and so on.
  public var method: String
  /// Where, with scheme and host.
  public var url: String
  /// Header fields in order, beside those that the client writes itself.
  public var fields: [Field]
  /// The body; empty for none.
  public var body: [UInt8]

  /// One header field.
  public struct Field: Hashable, Sendable {
    /// Its name, in any case.
    public var name: String
    /// Its value.
    public var value: String

    /// A field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// A request.
  public init(_ method: String, _ url: String, fields: [Field] = [], body: [UInt8] = []) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
  }
}

/// What a server answered, whole.
public struct HTTPResponse: Sendable {
  /// The status code.
  public var status: Int
  /// Header fields, names in lower case.
  public var fields: [HTTPRequest.Field]
  /// The body, unpacked if it came packed.
  public var body: [UInt8]

  /// An answer.
  public init(status: Int, fields: [HTTPRequest.Field] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// The value of the first field of this name, which is in lower case.
  public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// Why there was no answer.
public struct TransferError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is to be done about it.
  public enum Kind: Hashable, Sendable {
    /// The network or the server is away: later.
    case unreachable
    /// The connection broke or stood still after the request had begun: it may have been carried
    /// out.
    case interrupted
    /// The server is not who it should be, or does not trust us: a person has to look at it.
    case untrusted
    /// The request cannot be made as it was described, such as an address that is none.
    case impossible
    /// We gave it up ourselves.
    case cancelled
  }

  /// What is to be done about it.
  public var kind: Kind
  /// What failed, in a few words without secrets.
  public var reason: String
  /// What a person can do; empty where nothing general can be said.
  public var remedy: String
  /// Whether it is this computer's clock that is most likely wrong: the server's certificate begins
  /// later.
  public var isAboutTheClock = false

  /// An error.
  public init(_ kind: Kind, _ reason: String, remedy: String = "") {
    self.kind = kind
    self.reason = reason
    self.remedy = remedy
  }

  /// The failure.
  public var description: String { reason }
}

/// Something that carries requests to servers, each when it is asked; several may be under way.
///
/// A cancelled task gives its request up.
public protocol HTTPExchange: Sendable {
  /// The server's answer, whatever its status.
  func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse
}
