internal import LinuxSystem
internal import Values

/// Tries one speed after the other until an intact sentence is heard, as gpsd does.
///
/// It gets the received bytes and says which speed is next; it has neither clock nor port.
struct SpeedHunt: Sendable {
  /// The intervals it goes by.
  struct Timing: Sendable {
    /// Seconds of listening at one speed: receivers with one burst a second need more than two.
    var patience = 3.0
    /// Bytes without an intact sentence after which a speed is wrong before the time is over.
    var bytes = 9_000
    /// Seconds without an intact sentence after which a speed that was right is doubted.
    var doubt = 10.0
  }

  private enum State: Sendable {
    /// Listening at the speed in place. Next: `trying`, the next one; `found`.
    case trying(until: BootTime, bytes: Int)
    /// Next: `trying`, when nothing intact comes any more.
    case found(until: BootTime)
    /// There is one speed, or none at all. It stays.
    case still
  }

  private let timing: Timing
  private let candidates: [SerialSpeed]
  private var position = 0
  private var state: State
  /// Whether each speed was tried and none brought anything, or one did and does no longer.
  private(set) var isExhausted = false

  /// A hunt that begins with these speeds and goes on to all others.
  init(
    first: [SerialSpeed], timing: Timing = Timing(), at now: BootTime
  ) {
    self.timing = timing
    candidates = (first + SerialSpeed.allCases).reduce(into: []) { list, speed in
      if !list.contains(speed) { list.append(speed) }
    }
    state = .trying(until: now.advanced(bySeconds: timing.patience), bytes: 0)
  }

  /// No hunt: the line has this speed, or none.
  init(only speed: SerialSpeed?) {
    timing = Timing()
    candidates = speed.map { [$0] } ?? []
    state = .still
    isExhausted = true
  }

  /// The speed to listen at; `nil` for a line that has none.
  var speed: SerialSpeed? { candidates.isEmpty ? nil : candidates[position] }

  /// Whether an intact sentence was heard at this speed lately.
  var hasFound: Bool { if case .found = state { true } else { false } }

  /// Whether the speed may still turn out to be wrong.
  var isTrying: Bool { if case .trying = state { true } else { false } }

  /// Whether there is still a speed to be tried before anybody may call the receiver silent.
  var isHunting: Bool { isTrying && !isExhausted }

  /// Bytes came; `hasSentence` if they ended an intact sentence.
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

  /// The speed to change to, when it is time to.
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

  /// When `next` has something to say, at the latest.
  var due: BootTime? {
    switch state {
    case .still: nil
    case .found(let end), .trying(let end, _): end
    }
  }
}
