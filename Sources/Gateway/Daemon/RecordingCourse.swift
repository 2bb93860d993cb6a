internal import Values

/// Decides when the daemon starts and ends a recording. The caller supplies the time.
///
/// States: `idle` → `recording` when a recording is wanted. `recording` → `ending` when it is no
/// longer wanted, the session has reached its maximum length, or the configuration changed. Both →
/// `idle` or `resting` when the recording has ended, unexpectedly or on request. `resting` →
/// `recording` after a wait that grows with each consecutive failure.
struct RecordingCourse: Sendable {
  /// The action that the caller must take next.
  enum Action: Hashable, Sendable {
    case begin
    case end
  }

  enum State: Hashable, Sendable {
    case idle
    case recording
    case ending
    /// After a failure, wait until this time.
    case resting(until: BootTime)
  }

  /// Seconds between a failure and the next attempt, indexed by the number of consecutive failures.
  /// With these waits, a board that becomes available again is found and recorded within a minute.
  static let rests = [1.0, 2, 5, 10]
  /// Seconds that a recording must run before the failure count is reset.
  static let goodSeconds = 60.0

  private(set) var state = State.idle
  /// Number of consecutive recordings that failed.
  private(set) var failures = 0
  /// The number of recordings that ended unexpectedly since the daemon started.
  private(set) var restarts = 0
  private var began = BootTime(nanoseconds: 0)
  private var longest: Double

  /// Creates a course in which sessions last at most `longestSession` seconds.
  init(longestSession: Double) {
    longest = longestSession
  }

  /// Applies a new configuration and resets the failure count.
  mutating func reconfigure(longestSession: Double) {
    longest = longestSession
    failures = 0
    if case .resting = state { state = .idle }
  }

  mutating func next(wanted: Bool, at now: BootTime) -> Action? {
    switch state {
    case .idle: break
    case .resting(let until):
      if !wanted { (state, failures) = (.idle, 0) }
      guard now >= until else { return nil }
    case .recording:
      guard !wanted || now.seconds(since: began) >= longest else { return nil }
      return end()
    case .ending: return nil
    }
    guard wanted else { return nil }
    state = .recording
    began = now
    return .begin
  }

  /// Ends the current recording even if `next` does not require it. Returns `nil` if no recording
  /// is running, or if it is already ending.
  mutating func end() -> Action? {
    guard state == .recording else { return nil }
    state = .ending
    return .end
  }

  mutating func ended(failed: Bool, at now: BootTime) {
    let wasAsked = state == .ending
    let wasGood = now.seconds(since: began) >= Self.goodSeconds
    state = .idle
    if wasAsked, !failed {
      failures = 0
      return
    }
    if !wasAsked { restarts += 1 }
    failures = wasGood ? 1 : failures + 1
    let rest = Self.rests[min(failures, Self.rests.count) - 1]
    state = .resting(until: now.advanced(bySeconds: rest))
  }
}
