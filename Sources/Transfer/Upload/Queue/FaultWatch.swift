internal import Values

/// What a destination failed at or did not let us store, and whose fault that is.
///
/// A server that fails at one thing and stores the next has trouble with that one thing. A server
/// that fails at several in a row, with nothing stored between them, is broken, and none of them is
/// to blame. What it failed at before is sent after everything else: where it stored the others in
/// this run and fails at that again, those few are to blame, however many follow one another.
/// Events in, conclusions out: it reads no clock.
struct FaultWatch: Sendable {
  /// Different things in a row, with nothing stored between them, after which the destination is to
  /// blame.
  static let broken = 3
  /// Seconds after which a second failure at the same thing counts, and after which a run that
  /// stays tries it again. A server that is being restarted is well by then.
  static let secondTry = 300.0

  /// What follows.
  struct Conclusion: Hashable, Sendable {
    /// The notes to be written.
    var notes: [UploadNote] = []
    /// How many more things are parked, or fewer.
    var parked = 0
    /// Whether it is the destination that fails.
    var isBroken = false
    /// Whether things that were put off may be sent again now.
    var isReleased = false
  }

  /// One thing at which it failed since something was stored last.
  private struct Fault {
    var setback: Setback
    /// When it failed.
    var time: BootTime
    /// Times that were noted before.
    var attempts: Int
    /// Whether it is parked as soon as something else is stored.
    var isDue = false
    /// Whether something else was stored in this run since it failed before: it says nothing of the
    /// destination.
    var isProven = false
    /// Whether it was parked since something was stored last.
    var isParked = false
  }

  private var streak: [UploadSubject: Fault] = [:]
  /// When it failed first at something, in this run.
  private var firstFailures: [UploadSubject: BootTime] = [:]
  /// When a row was written last for something, in this run.
  private var notes: [UploadSubject: BootTime] = [:]
  /// Chunks and sessions that are not sent again before this time.
  private var postponed: [UploadSubject: BootTime] = [:]
  private var last: Setback?
  /// Whether anything was stored in this run.
  private var hasStored = false

  /// The destination failed at something that was sent to it alone, or with others at which it did
  /// not fail.
  ///
  /// - Parameters:
  ///   - attempts: how often that was noted before.
  ///   - isOvertaken: whether the destination has stored something else since it failed at this, or
  ///     at another chunk of its session.
  mutating func failed(
    at subject: UploadSubject, _ setback: Setback, after attempts: Int, isOvertaken: Bool,
    at now: BootTime
  ) -> Conclusion {
    let isLater = firstFailures[subject].map { now.seconds(since: $0) >= Self.secondTry } ?? true
    var fault = streak[subject] ?? Fault(setback: setback, time: now, attempts: attempts)
    fault.setback = setback
    fault.time = now
    // What we may not store will not be allowed a second time.
    fault.isDue = setback.kind == .forbidden || attempts > 0 && isLater
    fault.isProven = fault.isDue && isOvertaken && hasStored
    last = setback
    streak[subject] = fault
    if attempts == 0 { firstFailures[subject] = now }
    let release = now.advanced(bySeconds: Self.secondTry)
    postponed[subject] = release
    guard !isBroken || fault.isProven else { return acquit(subject, until: release, at: now) }
    var conclusion = Conclusion()
    if fault.isProven || fault.isDue && attempts > 0 && isOvertaken {
      park(subject, &conclusion)
    } else {
      note(subject, attempts: max(1, attempts), &conclusion, at: now)
    }
    return conclusion
  }

  /// Gives something a row in the store, once in a while: it is sent after everything else.
  private mutating func note(
    _ subject: UploadSubject, attempts: Int, _ conclusion: inout Conclusion, at now: BootTime
  ) {
    guard let fault = streak[subject],
      notes[subject].map({ now.seconds(since: $0) >= Self.secondTry }) ?? true
    else { return }
    notes[subject] = now
    conclusion.notes.append(
      UploadNote(subject, .waiting(fault.setback.reason), attempts: attempts))
  }

  /// Whether it failed at several things in a row of which none is known to be to blame.
  private var isBroken: Bool {
    streak.values.count { !$0.isProven } >= Self.broken
  }

  /// The destination stored something that was sent then. The things it failed at before are to
  /// blame themselves; those it failed at while it was broken are not. Of a failure that came while
  /// this was on its way it tells nothing.
  mutating func stored(_ subject: UploadSubject, sent: BootTime) -> Conclusion {
    let wasBroken = isBroken
    forget(subject)
    var conclusion = Conclusion()
    for (other, fault) in streak where fault.time <= sent {
      if wasBroken {
        postponed[other] = nil
        conclusion.isReleased = true
      } else if fault.isDue {
        park(other, &conclusion)
      }
      streak[other] = nil
    }
    hasStored = true
    return conclusion
  }

  /// The destination spoke its verdict on something, or it is not there any more.
  mutating func forget(_ subject: UploadSubject) {
    streak[subject] = nil
    firstFailures[subject] = nil
    notes[subject] = nil
    postponed[subject] = nil
  }

  /// Parks something, once.
  private mutating func park(_ subject: UploadSubject, _ conclusion: inout Conclusion) {
    guard let fault = streak[subject], !fault.isParked else { return }
    streak[subject]?.isParked = true
    postponed[subject] = nil
    conclusion.notes.append(
      UploadNote(subject, .parked(fault.setback.reason), attempts: fault.attempts + 1))
    conclusion.parked += 1
  }

  /// Takes back the items parked since something was stored last: it is the destination that is
  /// broken. What it failed at has a row in the store from now on, so that the next run begins with
  /// something else; what it failed at while it was known to be broken counts as no failure.
  private mutating func acquit(
    _ latest: UploadSubject, until release: BootTime, at now: BootTime
  ) -> Conclusion {
    var conclusion = Conclusion()
    conclusion.isBroken = true
    for (subject, fault) in streak where fault.isParked {
      streak[subject]?.isParked = false
      notes[subject] = nil
      note(subject, attempts: fault.attempts, &conclusion, at: now)
      conclusion.parked -= 1
      postponed[subject] = release
    }
    if let fault = streak[latest] {
      let counts = streak.count <= Self.broken
      note(latest, attempts: max(fault.attempts, counts ? 1 : 0), &conclusion, at: now)
    }
    return conclusion
  }

  // MARK: Things that are put off

  /// Whether something is not to be sent now.
  func isPostponed(_ subject: UploadSubject) -> Bool { postponed[subject] != nil }

  /// Chunks that are not to be sent now.
  var postponedChunks: [UniqueID] {
    postponed.keys.compactMap { if case .chunk(let id) = $0 { id } else { nil } }
  }

  /// Whether nothing is put off.
  var isEmpty: Bool { postponed.isEmpty }

  /// When the first of it may be sent again; `nil` if nothing is put off.
  var nextRelease: BootTime? { postponed.values.min() }

  /// Lets go the things that were put off for long enough: whether there were any.
  mutating func release(at now: BootTime) -> Bool {
    let count = postponed.count
    postponed = postponed.filter { $0.value > now }
    return postponed.count < count
  }

  /// Lets go everything: the last reason why it was put off; `nil` if nothing was.
  mutating func releaseAll() -> Setback? {
    guard !postponed.isEmpty else { return nil }
    postponed = [:]
    return last
  }
}
