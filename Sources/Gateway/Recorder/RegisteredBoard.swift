internal import Recording

/// A board that has been set up, with its streams ordered by the stream numbers in readings.
struct RegisteredBoard: Sendable {
  /// The board's number in readings.
  let number: UInt16
  let identity: BoardIdentity
  let streams: [StreamDescription]

  /// The maximum age, in seconds, that a sample can have when its packet arrives. A sample of a
  /// fast signal waits on the board for two more samples, and then for the link.
  var delaySeconds: Double {
    Self.linkSeconds + (streams.filter { $0.rate >= Self.fastRate }.map { 2 / $0.rate }.max() ?? 0)
  }

  /// The rate, in samples per second, at or above which a signal is considered fast.
  private static let fastRate = 10.0
  /// Seconds that a packet may wait for the link: three intervals of a slow link.
  private static let linkSeconds = 0.15
}
