internal import Recording

/// What a destination failed at or did not let us store, and whose fault that is.
///
/// A server that fails at one thing and stores the next has trouble with that one thing. A server
/// that fails at several in a row, with nothing stored between them, is broken, and none of them is
/// to blame. Events in, conclusions out: it reads no clock.
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
    /// Times that were noted before.
    var attempts: Int
    /// Whether it is parked as soon as something else is stored.
    var isDue = false
    /// The standing that was noted of it, if any.
    var noted: UploadNote.Standing?
  }

  private var streak: [UploadSubject: Fault] = [:]
  /// When it failed first at something, in this run.
  private var firstFailures: [UploadSubject: BootTime] = [:]
  /// Chunks and sessions that are not sent again before this time.
  private var postponed: [UploadSubject: BootTime] = [:]
  private var last: Setback?

  /// The destination failed at something that was sent to it alone, or with others at which it did
  /// not fail.
  ///
  /// - Parameters:
  ///   - attempts: how often that was noted before.
  ///   - isOvertaken: whether the destination has stored something else since that was noted.
  mutating func failed(
    at subject: UploadSubject, _ setback: Setback, after attempts: Int, isOvertaken: Bool,
    at now: BootTime
  ) -> Conclusion {
    let isLater = firstFailures[subject].map { now.seconds(since: $0) >= Self.secondTry } ?? true
    var fault = streak[subject] ?? Fault(setback: setback, attempts: attempts)
    fault.setback = setback
    // What we may not store will not be allowed a second time.
    fault.isDue = setback.kind == .forbidden || attempts > 0 && isLater
    last = setback
    streak[subject] = fault
    let release = now.advanced(bySeconds: Self.secondTry)
    postponed[subject] = release
    guard streak.count < Self.broken else { return acquit(until: release) }
    var conclusion = Conclusion()
    if fault.isDue, attempts > 0, isOvertaken {
      park(subject, &conclusion)
    } else if attempts == 0 {
      firstFailures[subject] = now
      let standing = UploadNote.Standing.waiting(setback.reason)
      streak[subject]?.noted = standing
      conclusion.notes.append(UploadNote(subject, standing, attempts: 1))
    }
    return conclusion
  }

  /// The destination stored something. The things it failed at meanwhile and before are to blame
  /// themselves; those it failed at while it was broken are not.
  mutating func stored(_ subject: UploadSubject) -> Conclusion {
    let wasBroken = streak.count >= Self.broken
    forget(subject)
    var conclusion = Conclusion()
    conclusion.isReleased = wasBroken
    for (other, fault) in streak {
      if wasBroken {
        postponed[other] = nil
      } else if fault.isDue {
        park(other, &conclusion)
      }
    }
    streak = [:]
    return conclusion
  }

  /// The destination spoke its verdict on something, or it is not there any more.
  mutating func forget(_ subject: UploadSubject) {
    streak[subject] = nil
    firstFailures[subject] = nil
    postponed[subject] = nil
  }

  /// Parks something, once.
  private mutating func park(_ subject: UploadSubject, _ conclusion: inout Conclusion) {
    guard let fault = streak[subject] else { return }
    if case .parked? = fault.noted { return }
    let standing = UploadNote.Standing.parked(fault.setback.reason)
    streak[subject]?.noted = standing
    postponed[subject] = nil
    conclusion.notes.append(UploadNote(subject, standing, attempts: fault.attempts + 1))
    conclusion.parked += 1
  }

  /// Takes back the notes made since something was stored last: it is the destination that is
  /// broken.
  private mutating func acquit(until release: BootTime) -> Conclusion {
    var conclusion = Conclusion()
    conclusion.isBroken = true
    for (subject, fault) in streak {
      guard let noted = fault.noted else { continue }
      if case .parked = noted {
        conclusion.parked -= 1
        postponed[subject] = release
      }
      conclusion.notes.append(
        UploadNote(subject, .waiting(fault.setback.reason), attempts: fault.attempts))
      if fault.attempts == 0 { firstFailures[subject] = nil }
      streak[subject]?.noted = nil
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
