/// The body of an answer that goes on while there is something to tell.
///
/// The server asks for bytes when the client can take some: a slow client is asked for seldom, and
/// nothing piles up for it.
public protocol ServerStream: AnyObject, Sendable {
  /// Begins. `bell` may be called on any thread, and has the server ask for bytes again.
  func begin(_ bell: @escaping @Sendable () -> Void)

  /// The next bytes, at most so many: none if there are none yet, `nil` at the end. Called on the
  /// server's thread.
  func next(upTo count: Int) -> [UInt8]?

  /// Whether it ends before it is whole, which the client has to notice. Asked at its end, and when
  /// the server stops.
  var isBroken: Bool { get }

  /// Ends: the client is gone, or the server stops.
  func end()
}

extension ServerStream {
  /// False: most streams have no end at which they would be whole.
  public var isBroken: Bool { false }
}
