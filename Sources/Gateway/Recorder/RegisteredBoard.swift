internal import Recording

/// A board that is set up, and its streams in the order of its readings.
struct RegisteredBoard: Sendable {
  /// Its number in its readings.
  let number: UInt16
  let identity: BoardIdentity
  let streams: [StreamDescription]

  /// Seconds by which a sample may be older than the arrival of its packet: it waits on the board
  /// for two more of a fast signal, and for the link.
  var delaySeconds: Double {
    Self.linkSeconds + (streams.filter { $0.rate >= Self.fastRate }.map { 2 / $0.rate }.max() ?? 0)
  }

  /// Samples a second above which a signal is fast.
  private static let fastRate = 10.0
  /// Seconds for which a packet waits for the link: three intervals of a link that is slow.
  private static let linkSeconds = 0.15
}
