internal import Values

/// Decides whether the daemon may report to the service manager that it works. Being alive is not
/// enough: samples must flow.
///
/// Only a fault that a restart may cure counts: a board is linked, but no sample of any board
/// arrives. Boards that are out of reach, switched off or empty do not count. bluetoothd decides
/// whether they are linked, not the recording: a recording with a stuck reader reconnects its
/// boards again and again.
struct SignOfLife: Sendable {
  /// Seconds without a link after which boards count as out of reach. A recording also ends the
  /// link of a silent board, and has another within seconds.
  static let absence = 10.0

  private var lastLink: BootTime?
  private var samples: UInt64 = 0

  /// Notes the samples received by the recording under way, and whether a board is linked that has
  /// sent samples before. Returns whether it works.
  ///
  /// The service manager decides how long it may be silent.
  mutating func works(samples: UInt64, isLinked: Bool, at now: BootTime) -> Bool {
    defer { self.samples = samples }
    if isLinked { lastLink = now }
    guard samples == self.samples, let lastLink else { return true }
    return now.seconds(since: lastLink) >= Self.absence
  }
}
