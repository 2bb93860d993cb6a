/// A received head, with details of its transmission: HTTP version, size and whether the field
/// lines are well-formed.
struct ReceivedHead {
  var head: RequestHead
  /// The request's HTTP version, such as `HTTP/1.1`.
  var version: String
  /// The head's length in bytes.
  var size: Int
  /// Whether each field is one line that ends with CR LF and contains no zero byte.
  var isPlain: Bool
}

/// A request from the arrival of its head to the end of its response. Used on the server's thread.
@safe
final class ServerRequest {
  let number: UInt64
  let head: RequestHead
  /// The body's maximum size in bytes.
  let longestBody: Int
  /// The request's sender, as returned by `RequestHandler.party`.
  let party: [UInt8]?
  /// `nil` if the head is ambiguous.
  var framing: BodyFraming?
  var body: [UInt8] = []
  /// The number of body bytes received, including discarded ones.
  var received = 0
  /// The number of bytes that this request adds to the total, which `ServerLimits.bodies` limits.
  private(set) var held = 0
  /// `nil` until the response is known.
  var response: ServerResponse?
  /// The stream that produces the response's body; `nil` if `response` contains the body.
  var stream: (any ServerStream)?
  /// Whether the response was passed to the library.
  var isAnswered = false
  /// The library's handle for the connection, while the request is suspended.
  var connection: OpaquePointer?

  init(number: UInt64, head: RequestHead, longestBody: Int, party: [UInt8]?) {
    self.number = number
    self.party = party
    self.head = head
    self.longestBody = longestBody
  }

  /// Whether the request was rejected before it was complete. Its connection is then closed after
  /// the response.
  var isRefusedEarly: Bool {
    response != nil && (framing != .empty || head["expect"] != nil)
  }

  func keep(_ bytes: UnsafeRawBufferPointer) {
    // Reserving space is cheap, because untouched memory is not allocated. If the body had to grow,
    // it would be copied.
    if body.isEmpty, case .length(let count) = framing { body.reserveCapacity(count) }
    unsafe body.append(contentsOf: bytes)
  }

  /// Counts bytes that this request now keeps in memory.
  func hold(_ bytes: Int, in total: inout Int) {
    held += bytes
    total += bytes
  }

  func drop(from total: inout Int) {
    total -= held
    held = 0
    body = []
  }
}
