/// A head, with its version, size and form.
struct ReceivedHead {
  var head: RequestHead
  /// `HTTP/1.1` and so on.
  var version: String
  /// Bytes of the head.
  var size: Int
  /// Whether each field is one line that ends with CR LF and contains no zero byte.
  var isPlain: Bool
}

/// A request between its head and the end of its answer, as the server's thread sees it.
@safe
final class ServerRequest {
  let number: UInt64
  let head: RequestHead
  /// The limit for the body, in bytes.
  let longestBody: Int
  /// The sender; see `RequestHandler.party`.
  let party: [UInt8]?
  /// The framing of the body; `nil` if it is ambiguous.
  var framing: BodyFraming?
  var body: [UInt8] = []
  /// Received bytes of the body, kept or dropped.
  var received = 0
  /// Bytes that count against `ServerLimits.bodies`.
  private(set) var held = 0
  /// The answer, once given.
  var response: ServerResponse?
  /// The rest of the answer, if it is a stream.
  var stream: (any ServerStream)?
  /// Whether the library has the answer.
  var isAnswered = false
  /// The library's handle of the connection while the request is suspended.
  var connection: OpaquePointer?

  init(number: UInt64, head: RequestHead, longestBody: Int, party: [UInt8]?) {
    self.number = number
    self.party = party
    self.head = head
    self.longestBody = longestBody
  }

  /// Whether the request is refused before it is complete. The answer then ends the connection.
  var isRefusedEarly: Bool {
    response != nil && (framing != .empty || head["expect"] != nil)
  }

  /// Appends bytes to the body.
  func keep(_ bytes: UnsafeRawBufferPointer) {
    // Reserving is cheap, since untouched memory costs nothing; a growing body would be copied.
    if body.isEmpty, case .length(let count) = framing { body.reserveCapacity(count) }
    unsafe body.append(contentsOf: bytes)
  }

  /// Counts bytes that this request keeps in memory.
  func hold(_ bytes: Int, in total: inout Int) {
    held += bytes
    total += bytes
  }

  /// Frees the body and its share of the total.
  func drop(from total: inout Int) {
    total -= held
    held = 0
    body = []
  }
}
