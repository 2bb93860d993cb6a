internal import LinuxSystem
internal import Values

/// Tries one speed after another until an intact sentence arrives, as gpsd does.
///
/// Its input is the received bytes and its output the next speed; it has neither clock nor port.
struct SpeedHunt: Sendable {
  /// The intervals it uses.
  struct Timing: Sendable {
    /// Seconds of listening at one speed: receivers with one burst a second need more than two.
    var patience = 3.0
    /// Bytes without an intact sentence after which a speed is given up early.
    var bytes = 9_000
    /// Seconds without an intact sentence after which a found speed is doubted.
    var doubt = 10.0
  }

  private enum State: Sendable {
    /// Listening at the current speed. Next: `trying` the next one, or `found`.
    case trying(until: BootTime, bytes: Int)
    /// Next: `trying`, if no intact sentence arrives any more.
    case found(until: BootTime)
    /// There is only one speed, or none. Final.
    case still
  }

  private let timing: Timing
  private let candidates: [SerialSpeed]
  private var position = 0
  private var state: State
  /// Whether all speeds were tried without success, or a found speed stopped working.
  private(set) var isExhausted = false

  /// A hunt that starts with these speeds and continues with all others.
  init(
    first: [SerialSpeed], timing: Timing = Timing(), at now: BootTime
  ) {
    self.timing = timing
    candidates = (first + SerialSpeed.allCases).reduce(into: []) { list, speed in
      if !list.contains(speed) { list.append(speed) }
    }
    state = .trying(until: now.advanced(bySeconds: timing.patience), bytes: 0)
  }

  /// No hunt: the line has this one speed, or none.
  init(only speed: SerialSpeed?) {
    timing = Timing()
    candidates = speed.map { [$0] } ?? []
    state = .still
    isExhausted = true
  }

  /// The speed to listen at; `nil` for a line without speed.
  var speed: SerialSpeed? { candidates.isEmpty ? nil : candidates[position] }

  /// Whether an intact sentence arrived at this speed recently.
  var hasFound: Bool { if case .found = state { true } else { false } }

  /// Whether the speed may still turn out to be wrong.
  var isTrying: Bool { if case .trying = state { true } else { false } }

  /// Whether a speed is still to be tried before the receiver counts as silent.
  var isHunting: Bool { isTrying && !isExhausted }

  /// Notes that bytes arrived; `hasSentence` if they ended an intact sentence.
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

  /// The speed to change to; `nil` if no change is due.
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

  /// Latest time at which `next` may return a speed.
  var due: BootTime? {
    switch state {
    case .still: nil
    case .found(let end), .trying(let end, _): end
    }
  }
}
