internal import Values

/// The upper rungs of help for one adapter or receiver that does not serve: decides which step to
/// take, and when. It is a value without a clock.
///
/// A climb takes the rungs one after another and gives each its time. After the last rung the
/// ladder rests, longer after each climb. Data that flows ends a climb at once, but only data that
/// flows for a minute ends the growth of the rests: otherwise a device that fails again after each
/// step would be switched without end.
struct Ladder: Hashable, Sendable {
  /// A step, in the order of a climb.
  enum Rung: Hashable, Sendable {
    /// Switch the adapter off and on.
    case power
    /// Reset the USB port.
    case port
  }

  /// The state of the device, as far as it can be judged.
  enum Condition: Hashable, Sendable {
    /// Data flows.
    case well
    /// Nothing tells whether the device is the cause.
    case unclear
    /// The device is probably the cause.
    case sick
  }

  /// Seconds for which a device must be sick before the first step: the lower rungs take that long.
  static let patience = 15.0
  /// Seconds that a step has for bringing the data back: an adapter is off for two, and linking and
  /// setting up a board take ten.
  static let stepSeconds = 20.0
  /// Seconds without any sign of sickness after which an unfinished climb is forgotten.
  static let forgetSeconds = 30.0
  /// Seconds of flowing data after which the next climb follows without a rest.
  static let soundSeconds = 60.0
  /// Seconds between the end of a climb and the next one, by the number of climbs.
  static let rests = [60.0, 300, 900, 3_600]

  /// Whether all rungs were tried without success; until the device is well.
  private(set) var isExhausted = false
  private var sickSince: BootTime?
  private var lastSick: BootTime?
  private var wellSince: BootTime?
  /// The next rung of the climb under way; 0 between climbs.
  private var position = 0
  private var notBefore: BootTime?
  /// Climbs since data last flowed for long enough.
  private var climbs = 0

  /// Whether a climb is under way.
  var isClimbing: Bool { position > 0 }

  /// The step that is due; `nil` if none is.
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

  /// Notes that the last step could not be taken: the next one follows without delay.
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
