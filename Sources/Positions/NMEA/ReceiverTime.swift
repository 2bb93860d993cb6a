public import Values

/// What a receiver's clock said last, whether or not it knew where it was.
///
/// A receiver keeps time without a position; so this may show that it works, and must not date
/// anything: before the first fix it may be seconds or years off.
public struct ReceiverTime: BitwiseCopyable, Hashable, Sendable {
  /// Arrival of the first byte that said it.
  public var arrival: BootTime
  /// The time of day.
  public var timeOfDay: TimeOfDay
  /// With its date; `nil` while no date was trusted.
  public var utc: UTCTime?
  /// Whether the same epoch had a position.
  public var hasFix: Bool
}
