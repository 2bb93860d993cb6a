internal import Recording

/// A board that is set up, and its streams in the order of its readings.
struct RegisteredBoard: Sendable {
  /// Its number in its readings.
  let number: UInt16
  let identity: BoardIdentity
  let streams: [StreamDescription]
}
