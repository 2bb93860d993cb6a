internal import Values

/// Decides when to stop streaming and let the boards' own detectors watch for walking again. The
/// caller supplies the time.
///
/// The detectors take over when no wearer has walked for a while and no session is open. Streaming
/// continues if a user stopped the recording of the current walk, or if the walk cannot be recorded
/// without a receiver. In both cases, only `WalkingRule` keeps track of the walk.
struct DetectorTurn: Sendable {
  /// Seconds without walking before the detectors take over. Walking is recognised within ten
  /// seconds.
  static let quietSeconds = 30.0

  private var quiet: BootTime?

  /// Returns whether the detectors should take over.
  mutating func isDue(_ status: LiveStatus, at now: BootTime) -> Bool {
    guard let standby = status.standby, standby.lead <= 0, !standby.isStopped,
      standby.refusal == nil,
      status.boards.contains(where: { $0.streams.contains { $0.received > 0 } })
    else {
      quiet = nil
      return false
    }
    let since = quiet ?? now
    quiet = since
    return now.seconds(since: since) >= Self.quietSeconds
  }
}
