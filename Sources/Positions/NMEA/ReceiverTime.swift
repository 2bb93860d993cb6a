public import Values

/// The last reading of a receiver's clock, with or without a position.
///
/// A receiver keeps time without a position. So the reading may show that the receiver works, but
/// must not date any data: before the first fix it may be seconds or years off.
public struct ReceiverTime: BitwiseCopyable, Hashable, Sendable {
  /// Arrival of the first byte with this time.
  public var arrival: BootTime
  public var timeOfDay: TimeOfDay
  /// Date and time; `nil` while no date was trusted.
  public var utc: UTCTime?
  /// Whether the same epoch had a position.
  public var hasFix: Bool
}
