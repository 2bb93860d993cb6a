internal import HTTPServer

/// A stream that ends when its device is no longer paired.
final class PairedStream: ServerStream {
  private let stream: any ServerStream
  private let isPaired: @Sendable () -> Bool

  init(_ stream: any ServerStream, isPaired: @escaping @Sendable () -> Bool) {
    self.stream = stream
    self.isPaired = isPaired
  }

  func begin(_ bell: @escaping @Sendable () -> Void) { stream.begin(bell) }

  // This method is called at least for each keep-alive, so the stream of a removed device soon
  // ends.
  func next(upTo count: Int) -> [UInt8]? { isPaired() ? stream.next(upTo: count) : nil }

  // A download that ends early reports that it is incomplete. Live events simply end.
  var isBroken: Bool { stream.isBroken }

  func end() { stream.end() }
}
