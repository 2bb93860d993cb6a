internal import Values

/// Decides whether the daemon may tell the service manager that it works. Being alive is not
/// enough: samples have to flow.
///
/// Only a fault that a restart may cure counts: a board is linked, and yet no sample of any board
/// arrives. Boards that are out of reach, switched off or empty are no such fault. Whether they are
/// linked is the word of bluetoothd, not of the recording: a recording whose reader hangs links
/// its boards again and again.
struct SignOfLife: Sendable {
  /// Seconds without a link after which boards are out of reach. A recording ends the link of a
  /// silent board too, and has another within seconds.
  static let absence = 10.0

  private var lastLink: BootTime?
  private var samples: UInt64 = 0

  /// Notes the samples received by the recording under way, and whether a board is linked of which
  /// samples have come before. Returns whether it works.
  ///
  /// How long it may be silent is the service manager's choice.
  mutating func works(samples: UInt64, isLinked: Bool, at now: BootTime) -> Bool {
    defer { self.samples = samples }
    if isLinked { lastLink = now }
    guard samples == self.samples, let lastLink else { return true }
    return now.seconds(since: lastLink) >= Self.absence
  }
}
