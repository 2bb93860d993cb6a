public import LinuxSystem
public import Values

/// A request to an HTTP server.
public struct HTTPRequest: Sendable {
  /// The HTTP method, such as `GET`.
  public var method: String
  /// The full URL, with scheme and host.
  public var url: String
  /// The header fields in order, without the fields that the client itself adds.
  public var fields: [Field]
  /// Empty if there is no body, or if the body is in `file`.
  public var body: [UInt8]
  /// A file that contains a body too large for memory; `nil` if the body is in `body`.
  public var file: UnnamedFile?

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
  public var status: Int
  /// The header fields in order, with names in lower case.
  public var fields: [HTTPRequest.Field]
  /// The body, decompressed if the server compressed it.
  public var body: [UInt8]

  public init(status: Int, fields: [HTTPRequest.Field] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// `name` must be in lower case.
  public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// The reason a request received no response.
public struct TransferError: Remediable, Hashable {
  /// The kinds of failure, grouped by how the caller must react.
  public enum Kind: Hashable, Sendable {
    /// The network or the server cannot be reached. Retry later.
    case unreachable
    /// The connection broke or stalled after the request had begun. The server may have processed
    /// the request.
    case interrupted
    /// The server's identity cannot be verified, or the server does not trust this client. A person
    /// must resolve this.
    case untrusted
    /// The request cannot be sent as described, for example because its address is invalid.
    case impossible
    /// This client cancelled the request.
    case cancelled
  }

  public var kind: Kind
  /// The reason for the failure, in a few words and without secrets.
  public var reason: String
  /// The remedy for the user; empty if no general remedy exists.
  public var remedy: String
  /// Whether this computer's clock is probably wrong, because a server's certificate appears not to
  /// be valid yet.
  public var isAboutTheClock = false

  public init(_ kind: Kind, _ reason: String, remedy: String = "") {
    self.kind = kind
    self.reason = reason
    self.remedy = remedy
  }

  public var message: String { reason }
}

/// Sends requests to servers. Several requests can be in progress at once.
///
/// If a task is cancelled, its request is cancelled too.
public protocol HTTPExchange: Sendable {
  /// Sends a request and returns the server's response, regardless of its status.
  func perform(_ request: HTTPRequest) async throws(TransferError) -> HTTPResponse
}
