internal import Recording
internal import Values

/// Follows the state of a source from its reports, and detects when the last fix is outdated.
///
/// Its input is the reports and the passing of time; it has no clock.
struct FixWatch: Sendable {
  /// The intervals it uses.
  struct Timing: Sendable {
    /// Minimum seconds without a new fix until the last one is stale.
    var staleSeconds = 2.0
    /// Cycles without a new fix until the last one is stale, if that is longer.
    var staleCycles = 2.0
    /// Seconds without a new fix until the state is `noFix`.
    var endSeconds = FixTrack.defaultMaximumAge
    /// Minimum number of cycles without a sentence after which the source counts as lost.
    var lostCycles = 3.0
  }

  private(set) var state = ReceiverState.searching
  /// Seconds between epochs; `nil` before the second one.
  private(set) var cycle: Double?
  private let timing: Timing
  private var lastReport: BootTime?
  private var staleAt: BootTime?
  private var endAt: BootTime?

  /// No receiver reports more slowly; a longer interval is a pause.
  private static let longestCycle = 30.0

  init(timing: Timing = Timing()) {
    self.timing = timing
  }

  /// Notes a reported epoch.
  mutating func reported(_ report: PositionReport, at now: BootTime) {
    if let lastReport {
      let step = now.seconds(since: lastReport)
      // The reports of one read were not a cycle apart.
      if step > 0.01, step < Self.longestCycle { cycle = step }
    }
    lastReport = now
    switch report {
    case .fix(let fix):
      state = fix.isThreeDimensional ? .fix3D : .fix2D
      let stale = max(timing.staleSeconds, timing.staleCycles * (cycle ?? 0))
      staleAt = now.advanced(bySeconds: stale)
      endAt = now.advanced(bySeconds: max(stale, timing.endSeconds))
    case .noFix:
      become(.noFix)
    }
  }

  /// Sets a state that does not come from a report.
  mutating func become(_ state: ReceiverState) {
    self.state = state
    staleAt = nil
    endAt = nil
    if state.isLoss || state == .searching {
      lastReport = nil
      cycle = nil
    }
  }

  /// Notes the passing of time.
  mutating func pass(at now: BootTime) {
    if let end = endAt, end <= now {
      become(.noFix)
    } else if let stale = staleAt, stale <= now {
      staleAt = nil
      state = .stale
    }
  }

  /// Time at which `pass` has something to do.
  var due: BootTime? { staleAt ?? endAt }

  /// Seconds without a sentence after which the source counts as lost.
  func silence(atLeast seconds: Double) -> Double {
    max(seconds, timing.lostCycles * (cycle ?? 0))
  }
}
