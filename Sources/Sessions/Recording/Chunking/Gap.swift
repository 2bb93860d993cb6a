public import Values

/// The reason for missing samples.
public enum LossReason: UInt8, Hashable, Sendable, CaseIterable, JSONKey {
  /// The samples did not arrive: the packet counter jumped.
  case link = 1
  /// The link to the board was down.
  case disconnected = 2
  /// The ring to the recorder was full.
  case overflow = 3
  /// The packet could not be decoded.
  case malformed = 4
  /// The samples could not be written to the store.
  case store = 5
  /// The board restarted, and no loss of the link was detected.
  case restarted = 6
  /// The sensor sent nothing although the board was present.
  case silent = 7
  /// A person had paused the recording.
  case paused = 8
  /// The gateway was interrupted, and another run of it continued the session.
  case interrupted = 9

  /// One word for reports and JSON.
  public var name: String {
    switch self {
    case .link: "link"
    case .disconnected: "disconnected"
    case .overflow: "overflow"
    case .malformed: "malformed"
    case .store: "store"
    case .restarted: "restarted"
    case .silent: "silent"
    case .paused: "paused"
    case .interrupted: "interrupted"
    }
  }
}

/// A stretch of a stream from which samples are missing.
///
/// A gap inferred from packet timing is found seconds later. Its ends are samples before and after
/// it, but not always its neighbours, and they may be earlier than the chunk that contains the gap.
public struct Gap: Hashable, Sendable {
  /// Arrival of the last sample before the gap.
  public var start: BootTime
  /// Arrival of the first sample after the gap.
  public var end: BootTime
  /// Number of missing samples.
  public var lost: UInt64
  /// Whether `lost` is inferred from timing rather than counted.
  public var isEstimate: Bool
  public var reason: LossReason

  public init(
    start: BootTime, end: BootTime, lost: UInt64, isEstimate: Bool, reason: LossReason
  ) {
    self.start = start
    self.end = end
    self.lost = lost
    self.isEstimate = isEstimate
    self.reason = reason
  }
}
