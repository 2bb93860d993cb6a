public import LinuxSystem
public import Values

/// A request to a server.
public struct HTTPRequest: Sendable {
  /// `GET`, `PUT` and so on.
  public var method: String
  /// With scheme and host.
  public var url: String
  /// In order, apart from the fields that the client writes itself.
  public var fields: [Field]
  /// The body; empty for none.
  public var body: [UInt8]
  /// A body that is too large for memory; `nil` if it is in `body`.
  public var file: UnnamedFile?

  /// One header field.
  public struct Field: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public init(_ method: String, _ url: String, fields: [Field] = [], body: [UInt8] = []) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
  }

  var bodyCount: Int { file?.count ?? body.count }
}

public struct HTTPResponse: Sendable {
  /// The status code.
  public var status: Int
  /// In order, with names in lower case.
  public var fields: [HTTPRequest.Field]
  /// The body, unpacked if the server had packed it.
  public var body: [UInt8]

  public init(status: Int, fields: [HTTPRequest.Field] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// The value of the first field of this name, which is in lower case.
  public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// The reason why a request got no answer.
public struct TransferError: Remediable, Hashable {
  /// The kinds of failure, by the right reaction.
  public enum Kind: Hashable, Sendable {
    /// The network or the server is unreachable: try later.
    case unreachable
    /// The connection broke or stalled after the request had begun. The server may have carried out
    /// the request.
    case interrupted
    /// The server is not the expected one, or does not trust us: a person has to look into it.
    case untrusted
    /// The request cannot be made as described, for example because its address is invalid.
    case impossible
    /// The client gave up the request.
    case cancelled
  }

  public var kind: Kind
  /// The failure in a few words, without secrets.
  public var reason: String
  /// A remedy for a person; empty if there is no general one.
  public var remedy: String
  /// Whether this computer's clock is most likely wrong, because the server's certificate begins
  /// later.
  public var isAboutTheClock = false

  public init(_ kind: Kind, _ reason: String, remedy: String = "") {
    self.kind = kind
    self.reason = reason
    self.remedy = remedy
  }

  public var message: String { reason }
}

/// Sends requests to servers; several may be under way at a time.
///
/// Cancelling a task gives up its request.
public protocol HTTPExchange: Sendable {
  /// The server's answer, whatever its status.
  func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse
}
