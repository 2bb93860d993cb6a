public import Values

/// The reason why samples are missing.
public enum LossReason: UInt8, Hashable, Sendable, CaseIterable, JSONKey {
  /// The samples did not arrive, although no link loss was detected. The loss is evident from the
  /// packet counter, the board's count or the timing.
  case link = 1
  /// The link to the board was down.
  case disconnected = 2
  /// The ring buffer to the recorder was full.
  case overflow = 3
  /// The packet that contained the samples could not be decoded.
  case malformed = 4
  /// The samples could not be written to the store.
  case store = 5
  /// The board restarted, although no link loss was detected.
  case restarted = 6
  /// The sensor sent no data, although the board was connected.
  case silent = 7
  /// A user had paused the recording.
  case paused = 8
  /// The gateway was interrupted, and continued the session after its restart.
  case interrupted = 9

  /// The reason's name in reports and JSON.
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

/// A time span in which samples of a stream are missing.
///
/// A gap inferred from packet timing is detected seconds after the loss. Such a gap starts and ends
/// at samples near the loss, but not always at adjacent samples. It may precede the chunk in which
/// it is stored.
public struct Gap: Hashable, Sendable {
  /// Arrival time of the last sample before the gap.
  public var start: BootTime
  /// Arrival time of the first sample after the gap.
  public var end: BootTime
  public var lost: UInt64
  /// Whether `lost` was inferred from timing rather than counted.
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
