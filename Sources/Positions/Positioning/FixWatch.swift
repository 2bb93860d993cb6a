internal import Recording
internal import Values

/// Tracks a position source's state from its reports, and detects when the last fix is outdated.
///
/// This value type is driven by reports and by the time passed to it; it never reads a clock.
struct FixWatch: Sendable {
  struct Timing: Sendable {
    /// Minimum number of seconds without a new fix before the last one is considered stale.
    var staleSeconds = 2.0
    /// Number of cycles without a new fix before the last one is considered stale. Applies if these
    /// cycles take longer than `staleSeconds`.
    var staleCycles = 2.0
    /// Seconds without a new fix before the state becomes `noFix`.
    var endSeconds = FixTrack.defaultMaximumAge
    /// Minimum number of cycles without a sentence before the source is considered lost.
    var lostCycles = 3.0
  }

  private(set) var state = ReceiverState.searching
  /// Seconds between the last two epochs, or `nil` before the second one.
  private(set) var cycle: Double?
  private let timing: Timing
  private var lastReport: BootTime?
  private var staleAt: BootTime?
  private var endAt: BootTime?

  /// Maximum number of seconds between two epochs. No receiver is slower, so a longer interval is a
  /// pause.
  private static let longestCycle = 30.0

  init(timing: Timing = Timing()) {
    self.timing = timing
  }

  mutating func reported(_ report: PositionReport, at now: BootTime) {
    if let lastReport {
      let step = now.seconds(since: lastReport)
      // Reports from the same read arrive together, so the interval between them is not the length
      // of a cycle.
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

  /// Sets a state in which no fix is current, so the last fix can no longer become stale.
  mutating func become(_ state: ReceiverState) {
    self.state = state
    staleAt = nil
    endAt = nil
    if state.isLoss || state == .searching {
      lastReport = nil
      cycle = nil
    }
  }

  /// Changes the state if the last fix is outdated at `now`.
  mutating func pass(at now: BootTime) {
    if let end = endAt, end <= now {
      become(.noFix)
    } else if let stale = staleAt, stale <= now {
      staleAt = nil
      state = .stale
    }
  }

  /// Time at which `pass` must be called next.
  var due: BootTime? { staleAt ?? endAt }

  /// Returns the number of seconds without a sentence after which the source is considered lost,
  /// but never less than `seconds`.
  func silence(atLeast seconds: Double) -> Double {
    max(seconds, timing.lostCycles * (cycle ?? 0))
  }
}
