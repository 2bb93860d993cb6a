internal import Values

/// Decides when the boards' own detectors take over again from streams. It reads no clock.
///
/// They do so after a while in which nobody walks and no session is open. A walk that a person
/// stopped keeps the streams, and so does one that waits for its receiver: `WalkingRule` remembers
/// them.
struct DetectorTurn: Sendable {
  /// Seconds without walking. Walking is recognised within ten.
  static let quietSeconds = 30.0

  private var quiet: BootTime?

  /// Whether the detectors should take over, according to the recording's status.
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
