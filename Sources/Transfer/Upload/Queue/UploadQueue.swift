internal import Recording
public import Values

/// What is sent to one destination next, and what follows from its answers.
///
/// Events in, actions out: it reads no clock, no store and no network. It always asks the store for
/// the chunks and records still to be sent; it remembers only those under way or not noted yet. The
/// caller performs the actions, and tells the outcome of each with the event that it names.
public struct UploadQueue: Sendable {
  /// What is under way.
  private enum Call {
    case chunks([Item], since: BootTime)
    case session(SessionItem, since: BootTime)
  }

  /// Failures in a row after which a queue that does not stay gives up: some ten seconds of trying.
  public static let patience = 5
  /// Seconds of the longest rest that a queue which does not stay waits for.
  public static let longestWait = 30.0
  /// Seconds after which a queue that stays looks whether there is something new, told or not.
  public static let lookInterval = 60.0

  private let rules: Rules
  /// When the destination may be sent to.
  public private(set) var retry = RetryPolicy()
  /// The counts since the beginning.
  public private(set) var counts = Counts()

  private var items: [Item] = []
  private var sessions: [SessionItem] = []
  private var calls: [Int: Call] = [:]
  private var nextCall = 1
  /// Verdicts that the store does not have yet.
  private var notes = PendingNotes()
  /// What the destination failed at.
  private var faults = FaultWatch()
  /// Chunks to be sent alone, since the destination failed at them or at others with them.
  private var alone: Set<UniqueID> = []
  /// How much goes at once.
  private var pace = UploadPace()
  private var isReading = false
  /// Whether something has changed since the store was asked.
  private var isReadStale = false
  private var isReadingSessions = false
  /// Whether the store had no more chunks when it was asked last.
  private var isExhausted = false
  /// Whether sessions may have become complete since they were asked for last.
  private var sessionsAreDue = true
  /// Whether they are asked for before the next chunk of a session at which the destination has
  /// failed, for the reason that such chunks may keep the destination from being sent to.
  private var sessionsGoFirst = true
  /// The session of the chunks sent last, and how often verdicts are written until that before it
  /// is looked at.
  private var lastSession: UniqueID?
  private var writesUntilLook: Int?
  private var nextLook: BootTime?
  private var isStopping = false
  private var hasFailed = false
  private var hasEnded = false
  private var hasSucceeded = false
  private var restNotice: RestNotice

  /// A queue by these rules.
  ///
  /// - Parameters:
  ///   - isRestNoted: Whether the store says of the destination that it rests.
  ///   - resting: How long the server asked it to rest when it was sent to last.
  public init(_ rules: Rules, isRestNoted: Bool = false, resting: BootTime? = nil) {
    self.rules = rules
    restNotice = RestNotice(isNoted: isRestNoted)
    retry = RetryPolicy(restingUntil: resting)
  }

  /// Whether a destination is resting, and until when.
  public var restingUntil: BootTime? {
    if case .resting(let until, _) = retry.state { until } else { nil }
  }

  /// What follows from an event.
  public mutating func handle(_ event: Event, at moment: Moment) -> [Action] {
    guard !hasEnded else { return [] }
    // In a run that somebody waits for it goes after everything else (`takeUpPostponed`).
    if rules.stays, faults.release(at: moment.now) { release() }
    switch event {
    case .begun, .elapsed: break
    case .added:
      lookAgain()
      sessionsAreDue = true
    case .networkReturned: retry.handle(.networkReturned, at: moment.now)
    case .waiting(let found, let isAll): took(found, isAll: isAll)
    case .unfinished(let found):
      isReadingSessions = false
      let known = heldSessions
      sessions = found.filter {
        !known.contains($0.id) && !faults.isPostponed(.session($0.id))
      }
      for index in sessions.indices { sessions[index].storedBefore = counts.stored }
    case .answered(let call, let verdicts): took(verdicts, of: call, at: moment)
    case .written: wrote()
    case .failed:
      hasFailed = true
      isReading = false
      isReadingSessions = false
      _ = notes.written()
    case .stopped: isStopping = true
    }
    retry.handle(.elapsed, at: moment.now, isClockTrusted: moment.isClockTrusted)
    return actions(at: moment)
  }

  // MARK: Waiting items

  /// There may be more than the store told of, or tells of now.
  private mutating func lookAgain() {
    isExhausted = false
    isReadStale = isReading
  }

  private mutating func took(_ found: [Item], isAll: Bool) {
    isReading = false
    defer { isReadStale = false }
    // An item taken on meanwhile is not taken on twice.
    let known = Set(held)
    var new = found.filter { !known.contains($0.id) && !faults.isPostponed(.chunk($0.id)) }
    for index in new.indices { new[index].storedBefore = counts.stored }
    items += new
    alone.formUnion(new.lazy.filter { $0.attempts > 0 }.map(\.id))
    if isAll, !isReadStale { isExhausted = true }
  }

  /// Chunks and sessions that were put off may be sent again.
  private mutating func release() {
    lookAgain()
    sessionsAreDue = true
    sessionsGoFirst = true
  }

  /// Chunks that are not to be read again: those that wait here, are on their way, or have a
  /// verdict that is not noted yet.
  private var held: [UniqueID] {
    var ids = items.map(\.id)
    for case .chunks(let batch, _) in calls.values { ids += batch.map(\.id) }
    for case .chunk(let id) in notes.subjects { ids.append(id) }
    return ids
  }

  /// Sessions whose record is on its way, or has a verdict that is not noted yet.
  private var heldSessions: Set<UniqueID> {
    var ids: Set<UniqueID> = []
    for case .session(let item, _) in calls.values { ids.insert(item.id) }
    for case .session(let id) in notes.subjects { ids.insert(id) }
    return ids
  }

  private mutating func wrote() {
    // What is to be sent again was not read while its note was under way.
    let isMissed = notes.written().contains {
      if case .waiting = $0.standing { !faults.isPostponed($0.subject) } else { false }
    }
    if isMissed { release() }
    if let writes = writesUntilLook { writesUntilLook = max(0, writes - 1) }
  }

  private mutating func took(_ answers: [Answer], of call: Int, at moment: Moment) {
    guard let call = calls.removeValue(forKey: call) else { return }
    var setbacks: [Setback] = []
    switch call {
    case .session(let item, let start):
      switch answers.first ?? .verdict(.failed(.noVerdict)) {
      case .gone: break
      case .verdict(.stored):
        counts.sessions += 1
        stored(.session(item.id), after: item.attempts, sent: start, at: moment)
      case .verdict(.refused(let words)):
        park(.session(item.id), words, after: item.attempts, at: moment)
      case .verdict(.failed(let setback)) where setback.isAboutItem:
        failed(
          at: .session(item.id), setback, after: item.attempts,
          isOvertaken: isOvertaken(item.past, readAfter: item.storedBefore), &setbacks, at: moment)
      case .verdict(.failed(let setback)):
        sessionsAreDue = true
        setbacks.append(setback)
      }
    case .chunks(let batch, let start):
      took(answers, on: batch, sent: start, &setbacks, at: moment)
      measure(batch, answers, seconds: moment.now.seconds(since: start))
    }
    guard !isStopping else { return }
    // The one that matters most: somebody has to see to it, or the longest rest that was asked for.
    let worst = setbacks.max { $0.weight < $1.weight }
    if let worst {
      retry.handle(
        .failed(worst, draw: moment.draw), at: moment.now, isClockTrusted: moment.isClockTrusted)
    }
  }

  private mutating func took(
    _ answers: [Answer], on batch: [Item], sent start: BootTime, _ setbacks: inout [Setback],
    at moment: Moment
  ) {
    func isAboutItem(_ answer: Answer) -> Bool {
      if case .verdict(.failed(let setback)) = answer { setback.isAboutItem } else { false }
    }
    // An answer that is short says nothing of the rest.
    let answers =
      answers.prefix(batch.count)
      + Array(
        repeating: .verdict(.failed(.noVerdict)), count: max(0, batch.count - answers.count))
    if batch.count > 1, answers.allSatisfy(isAboutItem) {
      // Nobody knows at which of them: each goes once more, alone.
      alone.formUnion(batch.map(\.id))
      items.insert(contentsOf: batch, at: 0)
      return
    }
    var again: [Item] = []
    for (item, answer) in zip(batch, answers) {
      let subject = UploadSubject.chunk(item.id)
      switch answer {
      case .gone: break
      case .verdict(.stored):
        counts.chunks += 1
        counts.bytes += item.byteCount
        stored(subject, after: item.attempts, sent: start, at: moment)
      case .verdict(.refused(let words)):
        park(subject, words, after: item.attempts, at: moment)
      case .verdict(.failed(let setback)) where setback.isAboutItem:
        failed(
          at: subject, setback, after: item.attempts,
          isOvertaken: isOvertaken(item.past, readAfter: item.storedBefore), &setbacks, at: moment)
      case .verdict(.failed(let setback)):
        setbacks.append(setback)
        again.append(item)
        continue
      }
      alone.remove(item.id)
    }
    // They stay the next.
    items.insert(contentsOf: again, at: 0)
  }

  /// What a call says of the line.
  private mutating func measure(_ batch: [Item], _ answers: [Answer], seconds: Double) {
    if answers.contains(.verdict(.stored)) {
      pace.note(bytes: batch.reduce(0) { $0 + $1.byteCount }, seconds: seconds)
    } else if answers.contains(where: {
      if case .verdict(.failed(let setback)) = $0 { setback.kind == .unavailable } else { false }
    }) {
      pace.noteLoss(seconds: seconds)
    }
  }

  private mutating func stored(
    _ subject: UploadSubject, after attempts: Int, sent start: BootTime, at moment: Moment
  ) {
    hasSucceeded = true
    retry.handle(.succeeded, at: moment.now)
    notes.add(UploadNote(subject, .stored, attempts: attempts + 1), at: moment.now)
    if case .chunk = subject { sessionsAreDue = true }
    take(faults.stored(subject, sent: start), at: moment)
  }

  private mutating func take(_ conclusion: FaultWatch.Conclusion, at moment: Moment) {
    counts.parked += conclusion.parked
    for note in conclusion.notes {
      notes.add(note, at: moment.now)
      if case .chunk = note.subject { sessionsAreDue = true }
    }
    if conclusion.isReleased { release() }
  }

  private mutating func park(
    _ subject: UploadSubject, _ words: String, after attempts: Int, at moment: Moment
  ) {
    counts.parked += 1
    // A server that says no is one that answers.
    retry.handle(.succeeded, at: moment.now)
    faults.forget(subject)
    notes.add(UploadNote(subject, .parked(words), attempts: attempts + 1), at: moment.now)
    // It may have been the last chunk that the session's record waited for.
    if case .chunk = subject { sessionsAreDue = true }
  }

  /// The destination failed at something that was sent to it alone, or with others at which it did
  /// not fail.
  private mutating func failed(
    at subject: UploadSubject, _ setback: Setback, after attempts: Int, isOvertaken: Bool,
    _ setbacks: inout [Setback], at moment: Moment
  ) {
    let conclusion = faults.failed(
      at: subject, setback, after: attempts, isOvertaken: isOvertaken, at: moment.now)
    take(conclusion, at: moment)
    if conclusion.isBroken {
      // It fails at everything: that is no reason to send one by one. What it has not failed at
      // yet goes first next time, in the order of the store.
      alone = []
      items = []
      sessions = []
      release()
      setbacks.append(setback.ofDestination)
    } else if setback.rest != nil {
      setbacks.append(setback)
    }
  }

  /// Whether the destination has stored something else since it failed at something that was read
  /// after so many others were stored.
  private func isOvertaken(_ past: Past, readAfter stored: Int) -> Bool {
    past == .overtaken || past == .failed && counts.stored > stored
  }

  /// Takes up what the destination failed at, when that is all that is left of a run that somebody
  /// waits for. It may be broken: it rests, longer each time, as one that is away.
  private mutating func takeUpPostponed(at moment: Moment) {
    let isQuiet =
      items.isEmpty && sessions.isEmpty && calls.isEmpty && notes.isEmpty
      && !isReading && !isReadingSessions
    guard !rules.stays, isQuiet, isExhausted, !sessionsAreDue, restingUntil == nil,
      let setback = faults.releaseAll()
    else { return }
    release()
    retry.handle(
      .failed(setback.ofDestination, draw: moment.draw), at: moment.now,
      isClockTrusted: moment.isClockTrusted)
  }

  // MARK: What follows

  private mutating func actions(at moment: Moment) -> [Action] {
    var actions: [Action] = []
    let isOpen = rules.hours?.contains(moment.minuteOfDay) ?? true
    if isOpen, !isStopping, !hasFailed { takeUpPostponed(at: moment) }
    if !hasFailed, let change = restNotice.change(to: retry, hasSucceeded: hasSucceeded) {
      actions.append(change)
    }
    if let ending = ending(isOpen: isOpen, at: moment) {
      // First everything is noted.
      if !hasFailed, !notes.isEmpty {
        write(&actions, at: moment, isLast: true)
        return actions
      }
      hasEnded = true
      return actions + [.end(ending)]
    }
    if !isStopping, !hasFailed, isOpen, !givesUp(at: moment) {
      read(&actions)
      send(&actions, at: moment)
    }
    if !hasFailed { write(&actions, at: moment, isLast: false) }
    wake(&actions, isOpen: isOpen, at: moment)
    return actions
  }

  /// Why it is at an end, if it is.
  private func ending(isOpen: Bool, at moment: Moment) -> Ending? {
    guard calls.isEmpty, !isReading, !isReadingSessions else { return nil }
    if hasFailed { return .failed }
    if isStopping { return .stopped }
    if rules.stays { return nil }
    if case .resting(_, let setback) = retry.state, givesUp(at: moment) {
      return .unreachable(setback)
    }
    if items.isEmpty, sessions.isEmpty, faults.isEmpty, isExhausted, !sessionsAreDue,
      notes.isEmpty
    {
      return .drained
    }
    if !isOpen, let hours = rules.hours {
      return .closed(minutes: hours.minutesUntilOpen(at: moment.minuteOfDay))
    }
    return nil
  }

  /// Whether somebody who waits for the end should not be kept waiting.
  private func givesUp(at moment: Moment) -> Bool {
    guard !rules.stays, case .resting(let until, let setback) = retry.state else { return false }
    return retry.failures >= Self.patience || setback.kind == .rejected
      || setback.kind == .wrongClock || until.seconds(since: moment.now) > Self.longestWait
  }

  /// Calls that may be under way now.
  private var room: Int {
    switch retry.state {
    case .ready: pace.isQuick ? rules.calls : 1
    case .probing: 1
    case .resting: 0
    }
  }

  private mutating func read(_ actions: inout [Action]) {
    guard room > 0 else { return }
    let ahead = min(512, rules.calls * rules.chunksPerCall)
    if !isReading, !isExhausted, items.count < ahead {
      isReading = true
      actions.append(.read(limit: 2 * ahead, excluding: held + faults.postponedChunks))
    }
    guard !isReadingSessions, sessionsAreDue, sessions.isEmpty else { return }
    // Only noted uploads count: a record goes after chunks that the store knows to be there or
    // parked.
    let isQuiet =
      (items.isEmpty ? isExhausted : waitsForSessions) && calls.isEmpty && notes.isEmpty
    guard isQuiet || writesUntilLook == 0 else { return }
    isReadingSessions = true
    writesUntilLook = nil
    if isQuiet {
      sessionsAreDue = false
      sessionsGoFirst = false
    }
    actions.append(.readSessions)
  }

  /// Whether the next chunk waits until the sessions were asked for.
  private var waitsForSessions: Bool {
    guard let first = items.first, first.past != .clean else { return false }
    return isReadingSessions || sessionsAreDue && sessionsGoFirst
  }

  private mutating func send(_ actions: inout [Action], at moment: Moment) {
    while calls.count < room {
      if !sessions.isEmpty {
        let session = sessions.removeFirst()
        calls[nextCall] = .session(session, since: moment.now)
        actions.append(.finish(call: nextCall, session: session.id))
      } else if !items.isEmpty, !waitsForSessions {
        let batch = takeBatch()
        calls[nextCall] = .chunks(batch, since: moment.now)
        actions.append(.send(call: nextCall, batch.map(\.id), session: batch[0].session))
      } else {
        return
      }
      nextCall += 1
    }
  }

  /// The next chunks for one call, of one session.
  private mutating func takeBatch() -> [Item] {
    let first = items[0]
    var count = 1
    var bytes = first.byteCount
    if !alone.contains(first.id) {
      while count < min(rules.chunksPerCall, items.count) {
        let next = items[count]
        bytes += next.byteCount
        guard next.session == first.session, bytes <= min(rules.bytesPerCall, pace.bytes),
          !alone.contains(next.id)
        else { break }
        count += 1
      }
    }
    // The next session has begun: the one before it may be whole as soon as its last verdicts are
    // noted.
    if let lastSession, lastSession != first.session { writesUntilLook = 2 }
    if first.past == .clean { sessionsGoFirst = true }
    lastSession = first.session
    let batch = Array(items.prefix(count))
    items.removeFirst(count)
    return batch
  }

  private mutating func write(_ actions: inout [Action], at moment: Moment, isLast: Bool) {
    let isUrgent = isLast || calls.isEmpty
    if let notes = notes.nextWrite(at: moment.now, isUrgent: isUrgent) {
      actions.append(.write(notes))
    }
  }

  private mutating func wake(_ actions: inout [Action], isOpen: Bool, at moment: Moment) {
    var times: [BootTime] = []
    if let due = notes.nextDue { times.append(due) }
    if case .resting(let until, let setback) = retry.state {
      // A clock that is set gives no signal, so it is read again.
      times.append(
        setback.kind == .wrongClock ? min(until, moment.now.advanced(bySeconds: 10)) : until)
    }
    if !isOpen, let hours = rules.hours {
      let minutes = hours.minutesUntilOpen(at: moment.minuteOfDay)
      times.append(moment.now.advanced(bySeconds: 60 * Double(min(minutes, 10))))
    }
    if rules.stays, let release = faults.nextRelease { times.append(release) }
    if rules.stays, isExhausted {
      let look = nextLook ?? moment.now.advanced(bySeconds: Self.lookInterval)
      if moment.now >= look {
        nextLook = nil
        lookAgain()
        sessionsAreDue = true
        times.append(moment.now)
      } else {
        nextLook = look
        times.append(look)
      }
    }
    if let next = times.min() { actions.append(.wake(at: next)) }
  }
}
