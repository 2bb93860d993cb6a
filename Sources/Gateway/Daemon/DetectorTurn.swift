internal import Values

/// Decides when the boards' own detectors take over again from streams: a value without clock.
///
/// That is when for a while nobody walks and no session is open. A walk that a person stopped, and
/// one that waits for its receiver, keep the streams: the rule of walking remembers them.
struct DetectorTurn: Sendable {
  /// Seconds without walking: walking is recognised within ten.
  static let quietSeconds = 30.0

  private var quiet: BootTime?

  /// Whether it is the turn of the detectors, by the present status of the recording.
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
