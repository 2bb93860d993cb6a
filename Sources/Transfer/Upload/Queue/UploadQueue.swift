internal import Recording
public import Values

/// Decides what to send next to one destination, and handles the destination's responses.
///
/// This type receives events and returns actions. It uses no clock, store or network. The chunks
/// and records that must still be sent are read from the store. The queue itself remembers only the
/// items that are in progress and those with a verdict that is not stored yet. The caller performs
/// the actions, and reports each result as an event. The description of an action names this event.
public struct UploadQueue: Sendable {
  /// The phases of a run.
  private enum Phase {
    /// Items are being sent. Next: `stopping`, `failed` or `ended`.
    case sending
    /// No more calls are started, and the calls in progress are awaited. Next: `failed` or `ended`.
    case stopping
    /// The store failed, so nothing more can be read or recorded. Next: `ended`.
    case failed
    /// The action `end` has been returned.
    case ended
  }

  /// The number of consecutive failures after which a queue gives up, unless it runs continuously
  /// (`stays`). This takes about ten seconds.
  public static let patience = 5
  /// The longest pause, in seconds, that a queue waits for, unless it runs continuously.
  public static let longestWait = 30.0
  /// Seconds after which a queue that runs continuously checks for new items, even without a
  /// notification.
  public static let lookInterval = 60.0

  private let rules: Rules
  public private(set) var retry = RetryPolicy()
  public private(set) var counts = Counts()

  private var phase = Phase.sending
  private var chunks = WaitingChunks()
  private var records = WaitingRecords()
  private var calls = CallsUnderWay()
  private var notes = PendingNotes()
  private var faults = FaultWatch()
  private var pace = UploadPace()
  private var restNotice: RestNotice
  /// The time of the next check for new items, if the queue runs continuously (`stays`).
  private var nextLook: BootTime?

  /// - Parameters:
  ///   - isRestNoted: whether the store already records that uploads are paused.
  ///   - resting: the end of the pause that the server requested in an earlier run.
  public init(_ rules: Rules, isRestNoted: Bool = false, resting: BootTime? = nil) {
    self.rules = rules
    restNotice = RestNotice(isNoted: isRestNoted)
    retry = RetryPolicy(restingUntil: resting)
  }

  /// The time at which paused uploads to the destination resume; `nil` if uploads are not paused.
  public var restingUntil: BootTime? {
    if case .resting(let until, _) = retry.state { until } else { nil }
  }

  public mutating func handle(_ event: Event, at moment: Moment) -> [Action] {
    guard phase != .ended else { return [] }
    // If `stays` is false, a user is waiting for the run to end. In that case, postponed items are
    // sent after all others (`takeUpPostponed`).
    if rules.stays, faults.release(at: moment.now) { release() }
    switch event {
    case .begun, .elapsed: break
    case .added: lookAgain()
    case .networkReturned: retry.handle(.networkReturned, at: moment.now)
    case .waiting(let found, let isAll): append(found, isAll: isAll)
    case .unfinished(let found): replaceRecords(by: found)
    case .answered(let call, let answers): handle(answers, of: call, at: moment)
    case .written: noteWritten()
    case .failed:
      phase = .failed
      chunks.abandonReading()
      records.abandonReading()
      _ = notes.written()
    case .stopped: if phase == .sending { phase = .stopping }
    }
    retry.handle(.elapsed, at: moment.now, isClockTrusted: moment.isClockTrusted)
    return actions(at: moment)
  }

  // MARK: Waiting items

  /// Records that the store may contain more items than it has returned or is about to return.
  private mutating func lookAgain() {
    chunks.expire()
    records.expire()
  }

  /// Allows postponed chunks and records to be sent again.
  private mutating func release() {
    chunks.expire()
    records.release()
  }

  private mutating func append(_ found: [Item], isAll: Bool) {
    // A chunk that was queued after the read started must not be queued twice.
    let known = Set(held)
    var new = found.filter { !known.contains($0.id) && !faults.isPostponed(.chunk($0.id)) }
    for index in new.indices { new[index].storedBefore = counts.stored }
    chunks.append(new, isAll: isAll)
  }

  private mutating func replaceRecords(by found: [SessionItem]) {
    var known = Set(calls.records)
    for case .session(let id) in notes.subjects { known.insert(id) }
    var new = found.filter { !known.contains($0.id) && !faults.isPostponed(.session($0.id)) }
    for index in new.indices { new[index].storedBefore = counts.stored }
    records.replace(by: new)
  }

  /// The chunks that must not be read again, because they are waiting in this queue, are being
  /// sent, or have a verdict that is not stored yet.
  private var held: [UniqueID] {
    var ids = chunks.ids + calls.chunks
    for case .chunk(let id) in notes.subjects { ids.append(id) }
    return ids
  }

  private mutating func noteWritten() {
    // While an item's verdict is being written, the item is not read from the store. If the item
    // must be sent again, the list must therefore be read again.
    let isMissed = notes.written().contains {
      if case .waiting = $0.standing { !faults.isPostponed($0.subject) } else { false }
    }
    if isMissed { release() }
    records.noteWritten()
  }

  // MARK: Answers

  private mutating func handle(_ answers: [Answer], of call: Int, at moment: Moment) {
    guard let call = calls.end(call) else { return }
    var setbacks: [Setback] = []
    switch call {
    case .record(let item, let start):
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
        records.expire()
        setbacks.append(setback)
      }
    case .chunks(let batch, let start):
      handle(answers, on: batch, sent: start, &setbacks, at: moment)
      measure(batch, answers, seconds: moment.now.seconds(since: start))
    }
    guard phase != .stopping else { return }
    // The most serious setback determines the reaction. This is a setback that a person must
    // resolve or, failing that, the one with the longest wait.
    let worst = setbacks.max { $0.weight < $1.weight }
    if let worst {
      retry.handle(
        .failed(worst, draw: moment.draw), at: moment.now, isClockTrusted: moment.isClockTrusted)
    }
  }

  private mutating func handle(
    _ answers: [Answer], on batch: [Item], sent start: BootTime, _ setbacks: inout [Setback],
    at moment: Moment
  ) {
    func isAboutItem(_ answer: Answer) -> Bool {
      if case .verdict(.failed(let setback)) = answer { setback.isAboutItem } else { false }
    }
    // If a response contains too few results, it says nothing about the remaining items.
    let answers =
      answers.prefix(batch.count)
      + Array(
        repeating: .verdict(.failed(.noVerdict)), count: max(0, batch.count - answers.count))
    if batch.count > 1, answers.allSatisfy(isAboutItem) {
      chunks.separate(batch)
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
      chunks.settle(item.id)
    }
    chunks.putBack(again)
  }

  /// Adapts the upload pace to a call's duration.
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
    restNotice.noteStored()
    retry.handle(.succeeded, at: moment.now)
    notes.add(UploadNote(subject, .stored, attempts: attempts + 1), at: moment.now)
    if case .chunk = subject { records.expire() }
    apply(faults.stored(subject, sent: start), at: moment)
  }

  private mutating func apply(_ conclusion: FaultWatch.Conclusion, at moment: Moment) {
    counts.parked += conclusion.parked
    for note in conclusion.notes {
      notes.add(note, at: moment.now)
      if case .chunk = note.subject { records.expire() }
    }
    if conclusion.isReleased { release() }
  }

  private mutating func park(
    _ subject: UploadSubject, _ words: String, after attempts: Int, at moment: Moment
  ) {
    counts.parked += 1
    // A rejection shows that the server is reachable, so it counts as a success.
    retry.handle(.succeeded, at: moment.now)
    faults.forget(subject)
    notes.add(UploadNote(subject, .parked(words), attempts: attempts + 1), at: moment.now)
    // If this is the last chunk of its session, the session's record may have been waiting for it.
    if case .chunk = subject { records.expire() }
  }

  /// Handles a failure on an item that was sent alone, or in a call in which no other item failed.
  private mutating func failed(
    at subject: UploadSubject, _ setback: Setback, after attempts: Int, isOvertaken: Bool,
    _ setbacks: inout [Setback], at moment: Moment
  ) {
    let conclusion = faults.failed(
      at: subject, setback, after: attempts, isOvertaken: isOvertaken, at: moment.now)
    apply(conclusion, at: moment)
    if conclusion.isBroken {
      // The server fails on everything, so sending the items one by one does not help. The next
      // attempt starts with items on which the server has not failed yet, in the order in which the
      // store returns them.
      chunks.removeAll()
      records.removeAll()
      release()
      setbacks.append(setback.ofDestination)
    } else if setback.rest != nil {
      setbacks.append(setback)
    }
  }

  /// Returns whether the destination has stored another item since it failed on this one. `stored`
  /// is the number of items that were stored when this item was read.
  private func isOvertaken(_ past: Past, readAfter stored: Int) -> Bool {
    past == .overtaken || past == .failed && counts.stored > stored
  }

  /// Starts sending the items on which the destination failed. Called after all other items have
  /// been sent, if a user is waiting for the run to end. If the destination is broken, its backoff
  /// grows as if it were unreachable.
  private mutating func takeUpPostponed(at moment: Moment) {
    let isQuiet =
      chunks.isEmpty && records.isEmpty && calls.isEmpty && notes.isEmpty
      && chunks.list == .done && records.list == .done
    guard !rules.stays, isQuiet, restingUntil == nil,
      let setback = faults.releaseAll()
    else { return }
    release()
    retry.handle(
      .failed(setback.ofDestination, draw: moment.draw), at: moment.now,
      isClockTrusted: moment.isClockTrusted)
  }

  // MARK: Actions

  private mutating func actions(at moment: Moment) -> [Action] {
    var actions: [Action] = []
    let isOpen = rules.hours?.contains(moment.minuteOfDay) ?? true
    if isOpen, phase == .sending { takeUpPostponed(at: moment) }
    if phase != .failed, let change = restNotice.change(to: retry) {
      actions.append(change)
    }
    if let ending = ending(isOpen: isOpen, at: moment) {
      // All verdicts are written before the run ends.
      if phase != .failed, !notes.isEmpty {
        write(&actions, at: moment, isLast: true)
        return actions
      }
      phase = .ended
      return actions + [.end(ending)]
    }
    if phase == .sending, isOpen, !givesUp(at: moment) {
      read(&actions)
      send(&actions, at: moment)
    }
    if phase != .failed { write(&actions, at: moment, isLast: false) }
    wake(&actions, isOpen: isOpen, at: moment)
    return actions
  }

  /// Returns the reason to end the run now, or `nil` to continue.
  private func ending(isOpen: Bool, at moment: Moment) -> Ending? {
    guard calls.isEmpty, !chunks.list.isUnderWay, !records.list.isUnderWay else { return nil }
    switch phase {
    case .failed: return .failed
    case .stopping: return .stopped
    case .sending, .ended: break
    }
    if rules.stays { return nil }
    if case .resting(_, let setback) = retry.state, givesUp(at: moment) {
      return .unreachable(setback)
    }
    if chunks.isEmpty, records.isEmpty, faults.isEmpty, chunks.list == .done,
      records.list == .done, notes.isEmpty
    {
      return .drained
    }
    if !isOpen, let hours = rules.hours {
      return .closed(minutes: hours.minutesUntilOpen(at: moment.minuteOfDay))
    }
    return nil
  }

  /// Returns whether to give up rather than keep the user waiting.
  private func givesUp(at moment: Moment) -> Bool {
    guard !rules.stays, case .resting(let until, let setback) = retry.state else { return false }
    return retry.failures >= Self.patience || setback.kind == .rejected
      || setback.kind == .wrongClock || until.seconds(since: moment.now) > Self.longestWait
  }

  /// The number of calls that may be in progress now.
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
    if chunks.list == .due, chunks.count < ahead {
      chunks.beginReading()
      actions.append(.read(limit: 2 * ahead, excluding: held + faults.postponedChunks))
    }
    // Only verdicts in the store are considered. A record is sent only after the store shows that
    // all chunks of its session are uploaded or parked.
    let isQuiet =
      (chunks.isEmpty ? chunks.list == .done : records.holdsUp(chunks.first)) && calls.isEmpty
      && notes.isEmpty
    if records.beginReading(isQuiet: isQuiet) { actions.append(.readSessions) }
  }

  private mutating func send(_ actions: inout [Action], at moment: Moment) {
    while calls.count < room {
      let chunk = chunks.first.flatMap { records.holdsUp($0) ? nil : $0 }
      if let record = records.removeFirst(beside: chunk) {
        let call = calls.begin(.record(record, since: moment.now))
        actions.append(.finish(call: call, session: record.id))
      } else if let first = chunk {
        records.noteSent(first)
        let batch = chunks.removeBatch(rules, upTo: pace.bytes)
        let call = calls.begin(.chunks(batch, since: moment.now))
        actions.append(.send(call: call, batch.map(\.id), session: first.session))
      } else {
        return
      }
    }
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
      // Setting the clock does not trigger an event, so the queue checks the clock again within ten
      // seconds.
      times.append(
        setback.kind == .wrongClock ? min(until, moment.now.advanced(bySeconds: 10)) : until)
    }
    if !isOpen, let hours = rules.hours {
      let minutes = hours.minutesUntilOpen(at: moment.minuteOfDay)
      times.append(moment.now.advanced(bySeconds: 60 * Double(min(minutes, 10))))
    }
    if rules.stays, let release = faults.nextRelease { times.append(release) }
    if rules.stays, chunks.list == .done {
      let look = nextLook ?? moment.now.advanced(bySeconds: Self.lookInterval)
      if moment.now >= look {
        nextLook = nil
        lookAgain()
        times.append(moment.now)
      } else {
        nextLook = look
        times.append(look)
      }
    }
    if let next = times.min() { actions.append(.wake(at: next)) }
  }
}
