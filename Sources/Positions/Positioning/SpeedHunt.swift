internal import LinuxSystem
internal import Values

/// Searches for a receiver's line speed. Like gpsd, tries one speed after another until an intact
/// sentence arrives.
///
/// This value type receives counts of bytes and returns the next speed; it uses neither a clock nor
/// a port.
struct SpeedHunt: Sendable {
  struct Timing: Sendable {
    /// Seconds to listen at each speed. A receiver with one burst per second needs more than two.
    var patience = 3.0
    /// Number of bytes without an intact sentence after which a speed is abandoned early.
    var bytes = 9_000
    /// Seconds without an intact sentence after which a speed that had worked is no longer trusted.
    var doubt = 10.0
  }

  private enum State: Sendable {
    /// Listening at the current speed. Next: `trying` with the next speed, or `found`.
    case trying(until: BootTime, bytes: Int)
    /// The speed works. Next: `trying`, if intact sentences stop arriving.
    case found(until: BootTime)
    /// Final state: there is at most one speed to try, so the search never changes the speed.
    case still
  }

  private let timing: Timing
  private let candidates: [SerialSpeed]
  private var position = 0
  private var state: State
  /// Whether all speeds were tried without success, or a speed that had worked stopped working.
  private(set) var isExhausted = false

  /// Creates a search that tries these speeds first and all other speeds after them.
  init(
    first: [SerialSpeed], timing: Timing = Timing(), at now: BootTime
  ) {
    self.timing = timing
    candidates = (first + SerialSpeed.allCases).reduce(into: []) { list, speed in
      if !list.contains(speed) { list.append(speed) }
    }
    state = .trying(until: now.advanced(bySeconds: timing.patience), bytes: 0)
  }

  /// Creates a search that never changes the speed. `speed` is `nil` for a line that has no speed.
  init(only speed: SerialSpeed?) {
    timing = Timing()
    candidates = speed.map { [$0] } ?? []
    state = .still
    isExhausted = true
  }

  /// The speed at which to listen, or `nil` for a line without a speed.
  var speed: SerialSpeed? { candidates.isEmpty ? nil : candidates[position] }

  /// Whether an intact sentence recently arrived at this speed.
  var hasFound: Bool { if case .found = state { true } else { false } }

  /// Whether the search has not yet confirmed the current speed.
  var isTrying: Bool { if case .trying = state { true } else { false } }

  /// Whether there are speeds left to try before the receiver is considered silent.
  var isHunting: Bool { isTrying && !isExhausted }

  /// Records that bytes arrived. `hasSentence` indicates whether they ended an intact sentence.
  mutating func heard(bytes: Int, hasSentence: Bool, at now: BootTime) {
    switch state {
    case .still: break
    case _ where hasSentence:
      state = .found(until: now.advanced(bySeconds: timing.doubt))
    case .found: break
    case .trying(let end, let before):
      state = .trying(until: end, bytes: before + bytes)
    }
  }

  /// Returns the speed to switch to, or `nil` if no change is due.
  mutating func next(at now: BootTime) -> SerialSpeed? {
    switch state {
    case .still: return nil
    case .found(let end):
      if end > now { return nil }
      isExhausted = true
    case .trying(let end, let bytes):
      if end > now, bytes < timing.bytes { return nil }
    }
    position = (position + 1) % candidates.count
    if position == 0 { isExhausted = true }
    state = .trying(until: now.advanced(bySeconds: timing.patience), bytes: 0)
    return candidates[position]
  }

  /// Time at which `next` must be called; `nil` if the speed never changes.
  var due: BootTime? {
    switch state {
    case .still: nil
    case .found(let end), .trying(let end, _): end
    }
  }
}
