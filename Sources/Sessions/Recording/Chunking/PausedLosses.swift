internal import Values

/// The losses during a pause; each kind becomes one gap.
struct PausedLosses: Sendable {
  /// Arrival of the last stored sample.
  let start: BootTime
  private var gaps: [Gap] = []

  init(start: BootTime) {
    self.start = start
  }

  mutating func add(_ gap: Gap) {
    let same = gaps.firstIndex {
      $0.reason == gap.reason && $0.isEstimate == gap.isEstimate
    }
    if let same { gaps[same].lost += gap.lost } else { gaps.append(gap) }
  }

  /// All losses between the samples around the pause.
  func gaps(until end: BootTime) -> [Gap] {
    gaps.map { gap in
      var gap = gap
      gap.start = start
      gap.end = end
      return gap
    }
  }
}
