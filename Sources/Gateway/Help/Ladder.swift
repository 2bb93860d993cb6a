internal import Values

/// Decides when the recovery of a faulty adapter or receiver escalates, and to which step. The
/// caller supplies the time.
///
/// A climb is a series of steps. After each step, the ladder waits for the step to take effect.
/// After the last step, the ladder pauses. The pause grows with each climb, up to an hour. A climb
/// ends as soon as data arrives. The pauses become short again only after data has arrived for a
/// minute. Otherwise, a device that fails after each step would be power-cycled endlessly.
struct Ladder: Hashable, Sendable {
  /// A recovery step. The cases are in the order of the steps.
  enum Rung: Hashable, Sendable {
    /// Power-cycle the adapter.
    case power
    /// Reset the USB port.
    case port
  }

  enum Condition: Hashable, Sendable {
    /// The device delivers data.
    case well
    /// The device may or may not be the cause of the missing data.
    case unclear
    /// The device is probably the cause of the fault.
    case sick
  }

  /// Seconds that a device must be faulty before the first step. Reconnecting boards and restarting
  /// sensors takes this long.
  static let patience = 15.0
  /// Seconds to wait for data after a step. An adapter is off for two seconds; linking and setting
  /// up a board takes ten.
  static let stepSeconds = 20.0
  /// Seconds without any sign of a fault before an unfinished series of steps is abandoned.
  static let forgetSeconds = 30.0
  /// Seconds that data must keep arriving before the next series of steps may start without a
  /// pause.
  static let soundSeconds = 60.0
  /// Seconds between the end of one series of steps and the start of the next, indexed by the
  /// number of series so far.
  static let rests = [60.0, 300, 900, 3_600]

  /// Whether every step was tried without success. Becomes `false` once the device works, or shows
  /// no fault for a while.
  private(set) var isExhausted = false
  private var sickSince: BootTime?
  private var lastSick: BootTime?
  private var wellSince: BootTime?
  /// The index of the next step in the current series, or 0 if none is in progress.
  private var position = 0
  private var notBefore: BootTime?
  /// Number of series of steps since data last arrived for `soundSeconds`.
  private var climbs = 0

  var isClimbing: Bool { position > 0 }

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

  /// Records that the last step was impossible, so that the next one is due immediately.
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
