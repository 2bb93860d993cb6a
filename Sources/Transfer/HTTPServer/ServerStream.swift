/// The body of an answer that goes on as long as there is something to send.
///
/// The server asks for bytes when the client can take some: it seldom asks for a slow client, and
/// no data pile up for it.
public protocol ServerStream: AnyObject, Sendable {
  /// Begins. `bell` may be called on any thread, and makes the server ask for bytes again.
  func begin(_ bell: @escaping @Sendable () -> Void)

  /// The next bytes, at most this number: empty if there are none yet, `nil` at the end. Called on
  /// the server's thread.
  func next(upTo count: Int) -> [UInt8]?

  /// Whether the stream ends before it is complete, which the client has to notice. Asked at its
  /// end, and when the server stops.
  var isBroken: Bool { get }

  /// Ends the stream: the client is gone, or the server stops.
  func end()
}

extension ServerStream {
  /// False: most streams have no end at which they would be complete.
  public var isBroken: Bool { false }
}
