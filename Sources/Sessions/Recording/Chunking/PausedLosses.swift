internal import Values

/// Collects the losses during a pause. All losses with the same reason and the same certainty
/// become one gap.
struct PausedLosses: Sendable {
  /// Arrival time of the last stored sample before the pause.
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

  /// Returns all losses as gaps from the last sample before the pause to the first sample after it.
  func gaps(until end: BootTime) -> [Gap] {
    gaps.map { gap in
      var gap = gap
      gap.start = start
      gap.end = end
      return gap
    }
  }
}
