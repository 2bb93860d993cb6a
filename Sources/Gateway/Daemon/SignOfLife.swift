internal import Values

/// Decides whether the daemon may report to the service manager that it is working. A running
/// process is not enough: samples must arrive.
///
/// The daemon is considered faulty only if a restart may help: a board is linked, but no board's
/// samples arrive. Boards that are out of range, switched off or discharged are ignored. The link
/// state comes from bluetoothd, because a recording with a stuck reader would reconnect its boards
/// again and again.
struct SignOfLife: Sendable {
  /// Seconds without a link before boards are considered out of range. A recording also closes the
  /// link to a silent board, but opens a new one within seconds.
  static let absence = 10.0

  private var lastLink: BootTime?
  private var samples: UInt64 = 0

  /// Records the samples received by the current recording, and whether a board is linked after
  /// samples have arrived. Returns whether the daemon is working.
  ///
  /// The service manager decides how long the daemon may fail to report before it is restarted.
  mutating func works(samples: UInt64, isLinked: Bool, at now: BootTime) -> Bool {
    defer { self.samples = samples }
    if isLinked { lastLink = now }
    guard samples == self.samples, let lastLink else { return true }
    return now.seconds(since: lastLink) >= Self.absence
  }
}
