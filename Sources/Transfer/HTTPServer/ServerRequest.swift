/// A head with what the library knows of it besides.
struct ReceivedHead {
  var head: RequestHead
  /// `HTTP/1.1` and so on.
  var version: String
  /// Its bytes.
  var size: Int
  /// Whether each field is one line that ends with CR LF, and has no zero byte.
  var isPlain: Bool
}

/// A request between its head and the end of its answer, as the server's thread sees it.
@safe
final class ServerRequest {
  let number: UInt64
  let head: RequestHead
  /// How its body is delimited; `nil` if that is ambiguous.
  var framing: BodyFraming?
  var body: [UInt8] = []
  /// Bytes of the body that came, kept or not.
  var received = 0
  /// Bytes that count against `ServerLimits.bodies`.
  private(set) var held = 0
  /// The answer, once there is one.
  var response: ServerResponse?
  /// Whether the library has been told it.
  var isAnswered = false
  /// The library's name for its connection while it is put off.
  var connection: OpaquePointer?

  init(number: UInt64, head: RequestHead) {
    self.number = number
    self.head = head
  }

  /// Whether it is refused before all of it has come. The answer then ends the connection.
  var isRefusedEarly: Bool {
    response != nil && (framing != .empty || head["expect"] != nil)
  }

  /// Appends bytes to the body.
  func keep(_ bytes: UnsafeRawBufferPointer) {
    // Memory that was never written to costs nothing, and a body that grows would be copied.
    if body.isEmpty, case .length(let count) = framing { body.reserveCapacity(count) }
    unsafe body.append(contentsOf: bytes)
  }

  /// Counts bytes that are held for it.
  func hold(_ bytes: Int, in total: inout Int) {
    held += bytes
    total += bytes
  }

  /// Lets the body go, and all that was counted.
  func drop(from total: inout Int) {
    total -= held
    held = 0
    body = []
  }
}
