internal import Values

/// The upper recovery steps for one adapter or receiver that does not work: decides which step to
/// take, and when. It is a value without a clock.
///
/// A climb takes the steps one after another and gives each its time. After the last step the
/// ladder rests, longer after each climb. Flowing data ends a climb at once. Only a minute of
/// flowing data resets the length of the rests: otherwise a device that fails after each step would
/// be switched endlessly.
struct Ladder: Hashable, Sendable {
  /// In the order of a climb.
  enum Rung: Hashable, Sendable {
    /// Switch the adapter off and on.
    case power
    /// Reset the USB port.
    case port
  }

  enum Condition: Hashable, Sendable {
    /// Data flows.
    case well
    /// Nothing shows whether the device is the cause.
    case unclear
    /// The device is probably the cause.
    case sick
  }

  /// Seconds for which a device must be sick before the first step: the lower steps take that long.
  static let patience = 15.0
  /// Seconds for the data to return after a step: an adapter is off for two, and linking and
  /// setting up a board take ten.
  static let stepSeconds = 20.0
  /// Seconds without any sign of sickness after which an unfinished climb is abandoned.
  static let forgetSeconds = 30.0
  /// Seconds of flowing data after which the next climb needs no rest.
  static let soundSeconds = 60.0
  /// Seconds from the end of a climb to the next one, by the number of climbs.
  static let rests = [60.0, 300, 900, 3_600]

  /// Whether every step was tried without success. Reset once the device is well.
  private(set) var isExhausted = false
  private var sickSince: BootTime?
  private var lastSick: BootTime?
  private var wellSince: BootTime?
  /// The next step of the climb under way; 0 between climbs.
  private var position = 0
  private var notBefore: BootTime?
  /// Climbs since data last flowed for `soundSeconds`.
  private var climbs = 0

  var isClimbing: Bool { position > 0 }

  /// The step that is due; `nil` without one.
  mutating func next(_ condition: Condition, rungs: [Rung], at now: BootTime) -> Rung? {
    switch condition {
    case .well:
      noteWell(at: now)
      return nil
    case .unclear:
      wellSince = nil
      if let lastSick, now.seconds(since: lastSick) >= Self.forgetSeconds { forget() }
      return nil
    case .sick:
      wellSince = nil
      lastSick = now
    }
    let since = sickSince ?? now
    sickSince = since
    guard now.seconds(since: since) >= Self.patience, notBefore.map({ now >= $0 }) ?? true,
      !rungs.isEmpty
    else { return nil }
    guard position < rungs.count else {
      isExhausted = true
      endClimb(at: now)
      return nil
    }
    let rung = rungs[position]
    position += 1
    notBefore = now.advanced(bySeconds: Self.stepSeconds)
    return rung
  }

  /// Notes that the last step was impossible: the next one follows without delay.
  mutating func skip(at now: BootTime) { notBefore = now }

  private mutating func noteWell(at now: BootTime) {
    if isClimbing { endClimb(at: now) }
    forget()
    let since = wellSince ?? now
    wellSince = since
    guard now.seconds(since: since) >= Self.soundSeconds else { return }
    climbs = 0
    notBefore = nil
  }

  private mutating func forget() {
    isExhausted = false
    sickSince = nil
    lastSick = nil
    position = 0
  }

  private mutating func endClimb(at now: BootTime) {
    climbs += 1
    position = 0
    notBefore = now.advanced(bySeconds: Self.rests[min(climbs, Self.rests.count) - 1])
  }
}
