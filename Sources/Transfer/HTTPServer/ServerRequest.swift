/// A head with the library's other information about it.
struct ReceivedHead {
  var head: RequestHead
  /// `HTTP/1.1` and so on.
  var version: String
  /// The bytes of the head.
  var size: Int
  /// Whether each field is one line that ends with CR LF, and has no zero byte.
  var isPlain: Bool
}

/// A request between its head and the end of its answer, as the server's thread sees it.
@safe
final class ServerRequest {
  let number: UInt64
  let head: RequestHead
  /// Bytes that the body may have.
  let longestBody: Int
  /// Its sender; see `RequestHandler.party`.
  let party: [UInt8]?
  /// The framing of the body; `nil` if it is ambiguous.
  var framing: BodyFraming?
  var body: [UInt8] = []
  /// Received bytes of the body, kept or not.
  var received = 0
  /// Bytes that count against `ServerLimits.bodies`.
  private(set) var held = 0
  /// The answer, once there is one.
  var response: ServerResponse?
  /// The rest of the answer, if that goes on for a while.
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
