internal import Values

/// Decides when the daemon begins a recording and when it ends one. It reads no clock.
///
/// States: `idle` → `recording` when a recording is wanted. `recording` → `ending` when it is no
/// longer wanted, the session is long enough, or the configuration changed. Both → `idle` or
/// `resting` when the recording has ended, by itself or as asked. `resting` → `recording` after a
/// pause, which grows with each failure in a row.
struct RecordingCourse: Sendable {
  /// The next action of the recording's owner.
  enum Action: Hashable, Sendable {
    case begin
    case end
  }

  enum State: Hashable, Sendable {
    case idle
    case recording
    case ending
    /// After a failure, until this instant.
    case resting(until: BootTime)
  }

  /// Seconds between a failure and the next attempt, by the number of failures in a row. Including
  /// the search for boards, a returning board is recorded within a minute.
  static let rests = [1.0, 2, 5, 10]
  /// Seconds of recording after which the count of failures begins again.
  static let goodSeconds = 60.0

  private(set) var state = State.idle
  /// Failures in a row.
  private(set) var failures = 0
  /// Recordings that ended by themselves since the daemon started.
  private(set) var restarts = 0
  private var began = BootTime(nanoseconds: 0)
  private var longest: Double

  /// Sessions last at most `longestSession` seconds.
  init(longestSession: Double) {
    longest = longestSession
  }

  /// Takes a new configuration: failures under the old one do not count.
  mutating func reconfigure(longestSession: Double) {
    longest = longestSession
    failures = 0
    if case .resting = state { state = .idle }
  }

  /// The action that is due; `nil` without one.
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

  /// Ends the recording under way for another reason; `nil` if there is none.
  mutating func end() -> Action? {
    guard state == .recording else { return nil }
    state = .ending
    return .end
  }

  /// Notes that the recording has ended, and whether it failed.
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
