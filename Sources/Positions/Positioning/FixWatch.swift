internal import Recording
internal import Values

/// Follows the state of a source from its reports, and knows when the last fix is no longer the
/// present.
///
/// It gets the reports and the passing of time; it has no clock.
struct FixWatch: Sendable {
  /// The intervals it goes by.
  struct Timing: Sendable {
    /// A fix is stale after so many seconds without another, and no sooner.
    var staleSeconds = 2.0
    /// A fix is stale after so many cycles without another.
    var staleCycles = 2.0
    /// A stale fix is none any more after so many seconds.
    var endSeconds = FixTrack.defaultMaximumAge
    /// Cycles without a sentence after which the source counts as lost, at the least.
    var lostCycles = 3.0
  }

  private(set) var state = ReceiverState.searching
  /// Seconds from epoch to epoch, once two have come.
  private(set) var cycle: Double?
  private let timing: Timing
  private var lastReport: BootTime?
  private var staleAt: BootTime?
  private var endAt: BootTime?

  /// No receiver reports more slowly; a longer step is a pause.
  private static let longestCycle = 30.0

  init(timing: Timing = Timing()) {
    self.timing = timing
  }

  /// An epoch was reported.
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

  /// Something else than a report tells the state.
  mutating func become(_ state: ReceiverState) {
    self.state = state
    staleAt = nil
    endAt = nil
    if state.isLoss || state == .searching {
      lastReport = nil
      cycle = nil
    }
  }

  /// Time has passed.
  mutating func pass(at now: BootTime) {
    if let end = endAt, end <= now {
      become(.noFix)
    } else if let stale = staleAt, stale <= now {
      staleAt = nil
      state = .stale
    }
  }

  /// When `pass` has something to do.
  var due: BootTime? { staleAt ?? endAt }

  /// Seconds without a sentence after which the source counts as lost.
  func silence(atLeast seconds: Double) -> Double {
    max(seconds, timing.lostCycles * (cycle ?? 0))
  }
}
