internal import Values

/// Decides whether failures are the fault of the destination or of single items.
///
/// A server that fails at one item and stores the next has trouble with that one item. A server
/// that fails at several in a row, with nothing stored between them, is broken, and no item is to
/// blame. Items at which it failed before are sent after everything else. If it stored the others
/// in this run and fails at those again, they are to blame, however many follow one another. Events
/// in, conclusions out: it reads no clock.
struct FaultWatch: Sendable {
  /// Different items in a row, with nothing stored between them, after which the destination is to
  /// blame.
  static let broken = 3
  /// Seconds after which a second failure at the same item counts, and after which a run that stays
  /// tries it again. A restarting server is back by then.
  static let secondTry = 300.0

  /// The consequences of an event.
  struct Conclusion: Hashable, Sendable {
    /// Notes to write.
    var notes: [UploadNote] = []
    /// The change in the number of parked items.
    var parked = 0
    /// Whether the destination is to blame.
    var isBroken = false
    /// Whether postponed items may be sent again now.
    var isReleased = false
  }

  /// An item at which the destination has failed since it last stored something.
  private struct Fault {
    var setback: Setback
    var time: BootTime
    /// Failures noted before.
    var attempts: Int
    /// Whether the item is parked as soon as another one is stored.
    var isDue = false
    /// Whether another item was stored in this run since an earlier failure at this one: it then
    /// says nothing about the destination.
    var isProven = false
    /// Whether it was parked since the destination last stored something.
    var isParked = false
  }

  private var streak: [UploadSubject: Fault] = [:]
  /// The time of the first failure at each item in this run.
  private var firstFailures: [UploadSubject: BootTime] = [:]
  /// The time of the latest note on each item in this run.
  private var notes: [UploadSubject: BootTime] = [:]
  /// Items that are not sent again before this time.
  private var postponed: [UploadSubject: BootTime] = [:]
  private var last: Setback?
  /// Whether the destination has stored anything in this run.
  private var hasStored = false

  /// Notes a failure at an item that was sent alone, or with others at which the destination did
  /// not fail.
  ///
  /// - Parameters:
  ///   - attempts: failures noted before.
  ///   - isOvertaken: whether the destination has stored something else since it failed at this
  ///     item, or at another chunk of its session.
  mutating func failed(
    at subject: UploadSubject, _ setback: Setback, after attempts: Int, isOvertaken: Bool,
    at now: BootTime
  ) -> Conclusion {
    let isLater = firstFailures[subject].map { now.seconds(since: $0) >= Self.secondTry } ?? true
    var fault = streak[subject] ?? Fault(setback: setback, time: now, attempts: attempts)
    fault.setback = setback
    fault.time = now
    // A storage refusal will not be lifted at a second attempt.
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

  /// Writes a note on an item from time to time, so that it is sent after everything else.
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

  /// Whether the destination failed at several items in a row, none of which is known to be to
  /// blame.
  private var isBroken: Bool {
    streak.values.count { !$0.isProven } >= Self.broken
  }

  /// Notes that the destination stored an item that was sent at that time. Items at which it failed
  /// before are to blame themselves, unless it was broken then. Failures that arrived after the
  /// sending of this item stay undecided.
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

  /// Forgets an item: the destination gave its verdict, or the item is gone.
  mutating func forget(_ subject: UploadSubject) {
    streak[subject] = nil
    firstFailures[subject] = nil
    notes[subject] = nil
    postponed[subject] = nil
  }

  /// Parks an item, once.
  private mutating func park(_ subject: UploadSubject, _ conclusion: inout Conclusion) {
    guard let fault = streak[subject], !fault.isParked else { return }
    streak[subject]?.isParked = true
    postponed[subject] = nil
    conclusion.notes.append(
      UploadNote(subject, .parked(fault.setback.reason), attempts: fault.attempts + 1))
    conclusion.parked += 1
  }

  /// Takes back the items parked since something was last stored: the destination itself is broken.
  /// Items at which it failed get a row in the store, so that the next run begins with others.
  /// Failures while it was known to be broken do not count.
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

  // MARK: Postponed items

  /// Whether an item is postponed.
  func isPostponed(_ subject: UploadSubject) -> Bool { postponed[subject] != nil }

  var postponedChunks: [UniqueID] {
    postponed.keys.compactMap { if case .chunk(let id) = $0 { id } else { nil } }
  }

  /// Whether no item is postponed.
  var isEmpty: Bool { postponed.isEmpty }

  /// The time of the next release; `nil` if no item is postponed.
  var nextRelease: BootTime? { postponed.values.min() }

  /// Releases the items whose time has come, and returns whether there were any.
  mutating func release(at now: BootTime) -> Bool {
    let count = postponed.count
    postponed = postponed.filter { $0.value > now }
    return postponed.count < count
  }

  /// Releases all items, and returns the latest reason for postponing; `nil` if there were none.
  mutating func releaseAll() -> Setback? {
    guard !postponed.isEmpty else { return nil }
    postponed = [:]
    return last
  }
}
