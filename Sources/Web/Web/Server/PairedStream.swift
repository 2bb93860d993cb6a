internal import HTTPServer

/// A stream that ends when its device is not paired any more.
final class PairedStream: ServerStream {
  private let stream: any ServerStream
  private let isPaired: @Sendable () -> Bool

  init(_ stream: any ServerStream, isPaired: @escaping @Sendable () -> Bool) {
    self.stream = stream
    self.isPaired = isPaired
  }

  func begin(_ bell: @escaping @Sendable () -> Void) { stream.begin(bell) }

  // It is asked at each sign of life at the latest.
  func next(upTo count: Int) -> [UInt8]? { isPaired() ? stream.next(upTo: count) : nil }

  // A download that is not whole says so itself. Live news just end.
  var isBroken: Bool { stream.isBroken }

  func end() { stream.end() }
}
