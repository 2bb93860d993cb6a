/// A response body without a fixed length, which continues as long as there is something to send.
///
/// The server requests bytes only when the client can receive some. If a client is slow, the server
/// therefore requests bytes less often, and no data accumulates in memory.
public protocol ServerStream: AnyObject, Sendable {
  /// Starts the stream. `bell` makes the server request more bytes, and can be called on any
  /// thread.
  func begin(_ bell: @escaping @Sendable () -> Void)

  /// Returns the next bytes, at most `count`. Returns an empty array if there are none yet, or
  /// `nil` at the end. Called on the server's thread.
  func next(upTo count: Int) -> [UInt8]?

  /// Whether the stream ends prematurely. The client must be able to detect this. Checked at the
  /// end of the stream and when the server stops.
  var isBroken: Bool { get }

  /// Ends the stream, because it is complete or the server cannot send more of it.
  func end()
}

extension ServerStream {
  /// Returns `false`, because most streams have no defined end.
  public var isBroken: Bool { false }
}
