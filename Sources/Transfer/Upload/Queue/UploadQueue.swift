internal import Recording
public import Values

/// Decides what to send to one destination next, and handles its answers.
///
/// Events in, actions out: it uses no clock, store or network. It always asks the store for the
/// chunks and records still to be sent, and remembers only those under way or not noted yet. The
/// caller performs the actions, and reports the result of each with the event that it names.
public struct UploadQueue: Sendable {
  /// The stages of a run.
  private enum Phase {
    /// Sends. Next: `stopping`, `failed` or `ended`.
    case sending
    /// Sends no more and waits for calls under way. Next: `failed` or `ended`.
    case stopping
    /// The store failed: nothing can be read or noted. Next: `ended`.
    case failed
    /// Has requested `end`.
    case ended
  }

  /// Failures in a row after which a queue that does not stay gives up: some ten seconds of trying.
  public static let patience = 5
  /// Longest rest in seconds that a queue that does not stay waits for.
  public static let longestWait = 30.0
  /// Seconds after which a queue that stays looks for something new, notified or not.
  public static let lookInterval = 60.0

  private let rules: Rules
  /// The state of retries.
  public private(set) var retry = RetryPolicy()
  /// Totals since the beginning.
  public private(set) var counts = Counts()

  private var phase = Phase.sending
  private var chunks = WaitingChunks()
  private var records = WaitingRecords()
  private var calls = CallsUnderWay()
  /// Verdicts that the store does not have yet.
  private var notes = PendingNotes()
  /// Failures of the destination.
  private var faults = FaultWatch()
  /// Amount to send at once.
  private var pace = UploadPace()
  private var restNotice: RestNotice
  /// The time at which a queue that stays next looks for something new.
  private var nextLook: BootTime?

  /// - Parameters:
  ///   - isRestNoted: Whether the store contains a rest of the destination.
  ///   - resting: The end of the rest that the server asked for in an earlier run.
  public init(_ rules: Rules, isRestNoted: Bool = false, resting: BootTime? = nil) {
    self.rules = rules
    restNotice = RestNotice(isNoted: isRestNoted)
    retry = RetryPolicy(restingUntil: resting)
  }

  /// The end of the destination's rest; `nil` if it is not resting.
  public var restingUntil: BootTime? {
    if case .resting(let until, _) = retry.state { until } else { nil }
  }

  /// The actions that follow from an event.
  public mutating func handle(_ event: Event, at moment: Moment) -> [Action] {
    guard phase != .ended else { return [] }
    // In a run with a waiting user, it is sent after everything else (`takeUpPostponed`).
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

  /// Notes that the store may have more than it returned, or is returning now.
  private mutating func lookAgain() {
    chunks.expire()
    records.expire()
  }

  /// Lets postponed chunks and records be sent again.
  private mutating func release() {
    chunks.expire()
    records.release()
  }

  private mutating func append(_ found: [Item], isAll: Bool) {
    // An item that was added meanwhile is not added twice.
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

  /// Chunks not to be read again: they wait here, are under way, or have a verdict that is not
  /// noted yet.
  private var held: [UniqueID] {
    var ids = chunks.ids + calls.chunks
    for case .chunk(let id) in notes.subjects { ids.append(id) }
    return ids
  }

  private mutating func noteWritten() {
    // Items to be sent again were not read while their note was under way.
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
    // The most important setback: one that a person has to resolve, or the longest rest asked for.
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
    // A short answer says nothing about the remaining items.
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

  /// Adapts the pace to the duration of a call.
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
    // A server that refuses is reachable.
    retry.handle(.succeeded, at: moment.now)
    faults.forget(subject)
    notes.add(UploadNote(subject, .parked(words), attempts: attempts + 1), at: moment.now)
    // The session's record may have waited for this last chunk.
    if case .chunk = subject { records.expire() }
  }

  /// Handles a failure at an item that was sent alone, or with others at which the destination did
  /// not fail.
  private mutating func failed(
    at subject: UploadSubject, _ setback: Setback, after attempts: Int, isOvertaken: Bool,
    _ setbacks: inout [Setback], at moment: Moment
  ) {
    let conclusion = faults.failed(
      at: subject, setback, after: attempts, isOvertaken: isOvertaken, at: moment.now)
    apply(conclusion, at: moment)
    if conclusion.isBroken {
      // The server fails at everything, so sending one by one does not help. Items at which
      // it has not failed yet go first next time, in the order of the store.
      chunks.removeAll()
      records.removeAll()
      release()
      setbacks.append(setback.ofDestination)
    } else if setback.rest != nil {
      setbacks.append(setback)
    }
  }

  /// Whether the destination has stored something else since it failed at an item that was read
  /// after this number of others were stored.
  private func isOvertaken(_ past: Past, readAfter stored: Int) -> Bool {
    past == .overtaken || past == .failed && counts.stored > stored
  }

  /// Takes up the items at which the destination failed, when nothing else is left in a run with a
  /// waiting user. The destination may be broken: it rests longer each time, like an unreachable
  /// one.
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
      // Everything is noted first.
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

  /// The reason to end now; `nil` to go on.
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

  /// Whether to give up rather than keep a waiting user longer.
  private func givesUp(at moment: Moment) -> Bool {
    guard !rules.stays, case .resting(let until, let setback) = retry.state else { return false }
    return retry.failures >= Self.patience || setback.kind == .rejected
      || setback.kind == .wrongClock || until.seconds(since: moment.now) > Self.longestWait
  }

  /// The number of further calls that may begin now.
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
    // Only noted uploads count: a record follows chunks that the store knows to be uploaded or
    // parked.
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
      // Setting the clock sends no signal, so it is read again.
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
