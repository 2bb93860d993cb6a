public import Values

/// The last reading of a receiver's clock, with or without a position.
///
/// A receiver keeps time even without a position, so a reading shows that the receiver is working.
/// It must not be used to date recorded data: before the first fix, the time may be seconds or
/// years off.
public struct ReceiverTime: BitwiseCopyable, Hashable, Sendable {
  /// Arrival time of the first byte of the sentence that contained this time.
  public var arrival: BootTime
  public var timeOfDay: TimeOfDay
  /// Date and time, or `nil` while no date can be trusted.
  public var utc: UTCTime?
  /// Whether the same epoch also had a position.
  public var hasFix: Bool
}
