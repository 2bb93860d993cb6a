internal import Values

/// Decides whether failures are caused by the destination or by a single item.
///
/// If a server fails on one item and stores the next one, the cause is that item. If the server
/// fails on several items in a row and stores nothing in between, the server is broken, and no item
/// is to blame. The failed items are then sent after all others. If the server stores other items
/// in this run but fails on those items again, they are to blame, regardless of their number. This
/// type receives events and returns conclusions. It does not read a clock.
struct FaultWatch: Sendable {
  /// The number of different items on which the destination must fail in a row, without storing
  /// anything in between, before it is considered broken.
  static let broken = 3
  /// The minimum time, in seconds, between two failures on an item before the item is blamed. A
  /// continuous run retries the item after this time. By then, a restarting server is available
  /// again.
  static let secondTry = 300.0

  /// The consequences that an event has for the queue.
  struct Conclusion: Hashable, Sendable {
    var notes: [UploadNote] = []
    /// The number of items that the event parked, minus the number that it unparked.
    var parked = 0
    /// Whether the destination is considered broken.
    var isBroken = false
    /// Whether postponed items can be sent again now.
    var isReleased = false
  }

  /// The latest failure on one item that occurred after the destination last stored anything.
  private struct Fault {
    var setback: Setback
    var time: BootTime
    /// The number of previously recorded failures on this item.
    var attempts: Int
    /// Whether the item is to be parked as soon as another item is stored.
    var isDue = false
    /// Whether another item was stored in this run after an earlier failure on this item. If so, a
    /// further failure on this item says nothing about the destination.
    var isProven = false
    /// Whether the item was parked after the destination last stored something.
    var isParked = false
  }

  private var streak: [UploadSubject: Fault] = [:]
  /// The time of the first failure in this run, for each item without earlier recorded failures.
  private var firstFailures: [UploadSubject: BootTime] = [:]
  /// For each item, the time at which the last note about it was written to the store in this run.
  private var notes: [UploadSubject: BootTime] = [:]
  /// Postponed items, each with the earliest time at which it may be sent again.
  private var postponed: [UploadSubject: BootTime] = [:]
  private var last: Setback?
  /// Whether the destination has stored anything in this run.
  private var hasStored = false

  /// Records that the destination failed on an item that was sent alone, or in a call in which no
  /// other item failed.
  ///
  /// - Parameters:
  ///   - attempts: the number of previously recorded failures on this item.
  ///   - isOvertaken: whether the destination has stored something else since it failed on this
  ///     item, or on another chunk of its session.
  mutating func failed(
    at subject: UploadSubject, _ setback: Setback, after attempts: Int, isOvertaken: Bool,
    at now: BootTime
  ) -> Conclusion {
    let isLater = firstFailures[subject].map { now.seconds(since: $0) >= Self.secondTry } ?? true
    var fault = streak[subject] ?? Fault(setback: setback, time: now, attempts: attempts)
    fault.setback = setback
    fault.time = now
    // If this gateway is not permitted to store the item, a second attempt will not help.
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

  /// Occasionally writes a note about an item to the store, so that the next run sends the item
  /// after all others.
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

  /// Whether the destination has failed on several consecutive items, none of which is known to be
  /// the cause.
  private var isBroken: Bool {
    streak.values.count { !$0.isProven } >= Self.broken
  }

  /// Records that the destination stored an item that was sent at the time `sent`. This shows that
  /// the items on which it failed earlier are to blame, unless the destination was considered
  /// broken at that point. For failures that occurred after `sent`, the cause remains undecided.
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

  /// Forgets an item, because its verdict is known or it no longer exists.
  mutating func forget(_ subject: UploadSubject) {
    streak[subject] = nil
    firstFailures[subject] = nil
    notes[subject] = nil
    postponed[subject] = nil
  }

  /// Parks an item, unless it is already parked.
  private mutating func park(_ subject: UploadSubject, _ conclusion: inout Conclusion) {
    guard let fault = streak[subject], !fault.isParked else { return }
    streak[subject]?.isParked = true
    postponed[subject] = nil
    conclusion.notes.append(
      UploadNote(subject, .parked(fault.setback.reason), attempts: fault.attempts + 1))
    conclusion.parked += 1
  }

  /// Unparks the items that were parked after the destination last stored anything, because the
  /// destination itself is broken. Records the failed items in the store, so that the next run
  /// starts with other items. Failures that occur while the destination is known to be broken are
  /// not counted.
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

  func isPostponed(_ subject: UploadSubject) -> Bool { postponed[subject] != nil }

  var postponedChunks: [UniqueID] {
    postponed.keys.compactMap { if case .chunk(let id) = $0 { id } else { nil } }
  }

  var isEmpty: Bool { postponed.isEmpty }

  /// The time at which the next item is released; `nil` if no item is postponed.
  var nextRelease: BootTime? { postponed.values.min() }

  /// Releases the items that are due to be sent again. Returns whether any were released.
  mutating func release(at now: BootTime) -> Bool {
    let count = postponed.count
    postponed = postponed.filter { $0.value > now }
    return postponed.count < count
  }

  /// Releases all postponed items. Returns the latest failure, or `nil` if no item was postponed.
  mutating func releaseAll() -> Setback? {
    guard !postponed.isEmpty else { return nil }
    postponed = [:]
    return last
  }
}
