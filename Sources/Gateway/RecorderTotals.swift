public import Recording
public import Storage

/// What a recorder counted over a session.
public struct RecorderTotals: Sendable {
  /// One stream of one board.
  public struct Stream: Sendable {
    /// Position of the board in the session.
    public var board: UInt16
    /// What it carries.
    public var description: StreamDescription
    /// Samples taken from the ring.
    public var received: UInt64 = 0
    /// Samples whose number had been there already.
    public var duplicates: UInt64 = 0
    /// Samples in chunks that the store has confirmed.
    public var stored: UInt64 = 0
    /// Chunks the store has confirmed.
    public var chunks: UInt64 = 0
    /// Samples that are missing, by reason.
    public var lost: [LossReason: UInt64] = [:]
    /// Arrival of its first sample.
    public var firstSample: BootTime?
    /// Arrival of its last sample.
    public var lastSample: BootTime?
  }

  /// All streams, in the order in which they were registered.
  public var streams: [Stream] = []
  /// Fixes stored.
  public var fixes: UInt64 = 0
  /// Why the store could not be written, if it could not.
  public var failure: StoreError?
}
