internal import Recording

/// A board that is set up, and its streams in the order of its readings.
struct RegisteredBoard: Sendable {
  /// The number by which its readings name it.
  let number: UInt16
  let identity: BoardIdentity
  let streams: [StreamDescription]

  /// Seconds by which a sample may be older than its packet's arrival: it waits on the board for
  /// two more samples of a fast signal, and for the link.
  var delaySeconds: Double {
    Self.linkSeconds + (streams.filter { $0.rate >= Self.fastRate }.map { 2 / $0.rate }.max() ?? 0)
  }

  /// Samples per second above which a signal is fast.
  private static let fastRate = 10.0
  /// Seconds that a packet waits for the link: three intervals of a slow link.
  private static let linkSeconds = 0.15
}
