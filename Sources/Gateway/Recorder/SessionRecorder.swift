internal import BoardDriver
internal import ChunkFormat
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Values

/// The session being recorded: passes its streams' data to the tail and the store.
struct SessionRecorder: ~Copyable {
  struct Listener: Sendable {
    /// Called when the store or the tail can no longer be written to, at most once per session.
    var onFailure: @Sendable (StoreError) -> Void
    /// Called when the system clock and the satellites are found to disagree.
    var onClock: @Sendable (ClockTable.Disagreement) -> Void
  }

  private var beginning: RecorderThread.Beginning
  /// The interrupted session that this one continues or, until a board is added, may continue.
  private var interrupted: InterruptedSession?
  private var resumedAt = BootTime(nanoseconds: 0)
  private let mailbox: Mailbox<RecorderThread.Request>
  private let listener: Listener
  /// Writes to the store. `nil` if samples are only shown.
  private let writer: StoreWriter?
  private let storePath: String
  private var tail: RecorderTail?
  /// Whether the store or the tail can no longer be written to. If one of them fails, all data is
  /// still written to the other.
  private var isStoreBroken = false
  private var isTailBroken = false

  private(set) var streams: [RecordedStream] = []
  /// Index in `streams` of each board's first stream, by board number. This is an array, because a
  /// dictionary lookup for each reading would be too slow.
  private var firstStreams: [Int?] = []
  private var statistics: RecorderStatistics
  private(set) var totals = RecorderTotals()
  private(set) var firstSample: BootTime?
  /// Arrival time of the last reading.
  private(set) var lastReading: BootTime

  private var commits: CommitQueue
  private(set) var track = RecordedTrack()
  private var clock = RecordedClock()
  private var pauses = Pauses()
  private var lastEvent: BootTime?
  /// The event that records when the boards stopped. It is written only to the tail, because a
  /// session that ends normally does not need it.
  private var stopping: SessionEvent?

  /// Creates a session without boards. `writer` stores the session, or is `nil` if samples are only
  /// shown.
  init(
    _ beginning: RecorderThread.Beginning, by writer: StoreWriter?, at path: String,
    _ mailbox: Mailbox<RecorderThread.Request>, _ listener: Listener, now: BootTime
  ) {
    self.beginning = beginning
    self.writer = writer
    storePath = path
    self.mailbox = mailbox
    self.listener = listener
    statistics = RecorderStatistics(start: beginning.session.start)
    commits = CommitQueue(at: now, sealSeconds: beginning.sealSeconds)
    lastReading = beginning.session.start
    lookAtSystemClock()
  }

  var id: UniqueID { beginning.session.id }

  var participant: Participant? { beginning.session.participant }

  /// Sets the participant, unless the session has already begun.
  mutating func take(_ participant: Participant?) {
    if streams.isEmpty { beginning.session.participant = participant }
  }

  /// Updates the participant in the status, after a user edited the participant in the store.
  mutating func correct(_ participant: Participant?) {
    beginning.session.participant = participant
  }

  /// Allows this session to continue an interrupted session if the first boards match.
  mutating func mayContinue(_ interrupted: InterruptedSession) { self.interrupted = interrupted }

  /// Whether this session continues an interrupted session. True only after a board has been added.
  private var isContinued: Bool { interrupted?.session.id == id }

  /// The continued session, and the seconds since its interruption. `nil` for a new session.
  var continuation: (session: UniqueID, seconds: Double)? {
    guard isContinued, let interrupted else { return nil }
    return (id, resumedAt.seconds(since: interrupted.end))
  }

  /// Begins or continues the session. Without boards, no session is stored.
  private mutating func begin(with boards: [RegisteredBoard], by writer: StoreWriter) {
    let now = BootClock.now()
    guard let found = interrupted, found.isOfThisBoot, now <= found.goesOnUntil,
      found.canGoOn(with: boards.map { ($0.identity.address, $0.streams) }),
      found.isEdited || found.session.wearer == beginning.session.wearer
    else {
      writer.ask(.begin(beginning.session, beginning.hazards))
      if let found = interrupted, !found.isOfThisBoot {
        record(
          SessionEvent(
            .continued, at: beginning.session.start,
            text: "started immediately, because a computer restart ended session "
              + "\(found.session.id)"))
      }
      interrupted = nil
      return
    }
    beginning.session = found.session
    statistics = RecorderStatistics(start: found.session.start)
    statistics.expectFormer()
    (firstSample, lastReading, resumedAt) = (found.session.start, found.end, now)
    if let start = found.pausedSince, pauses.start == nil { pauses.toggle(at: start) }
    // No fixes are known between the interruption and now, so the next fix is marked as following a
    // gap.
    if found.fixCount > 0 { _ = track.add(.noFix(arrival: now)) }
    writer.ask(.resume(found))
    let seconds = (now.seconds(since: found.end) * 1_000).rounded() / 1_000
    record(SessionEvent(.continued, at: now, value: seconds, text: "the gateway was interrupted"))
    countFormer(found)
  }

  /// Computes the statistics of the part before the interruption on another thread, because that
  /// may take seconds.
  private func countFormer(_ found: InterruptedSession) {
    let thread = try? NamedThread("statistics") { [mailbox, storePath] in
      guard let former = try? SessionStatistics(of: found, in: storePath) else { return }
      _ = mailbox.post(.former(found.session.id, former), rings: false)
    }
    thread?.letGo()
  }

  mutating func add(former: SessionStatistics, of session: UniqueID) {
    if session == id { statistics.add(former: former) }
  }

  @inline(__always)
  func has(_ board: UInt16) -> Bool { firstStream(of: board) != nil }

  // MARK: Boards and events

  /// Adds a board. `reply` is sent once the store has registered the board or failed to do so. The
  /// first board is added together with all `others` that are ready.
  mutating func add(
    _ board: RegisteredBoard, besides others: [RegisteredBoard] = [], _ reply: Reply<Void>?
  ) {
    let number = Int(board.number)
    while firstStreams.count <= number { firstStreams.append(nil) }
    if let writer, streams.isEmpty {
      begin(with: [board] + others, by: writer)
      beginTail()
      for record in commits.records { tail?.add(record) }
    }
    if isContinued, interrupted?.canTake(board.streams, of: board.identity.address) == false {
      reply?.give(())
      return fail(
        StoreError(
          .refused,
          "the settings of board \(board.identity.address) changed during the interruption",
          remedy: "wait: a new session begins automatically"))
    }
    firstStreams[number] = streams.count
    for description in board.streams {
      addStream(of: board.number, board.identity, description)
    }
    statistics.add(board.streams, of: board.identity.address)
    guard let writer else {
      reply?.give(())
      return
    }
    for position in streams.indices.suffix(board.streams.count) {
      tail?.add(.stream(UInt16(position), streams[position].outline))
    }
    writer.ask(.addBoard(board.identity, board.streams, reply))
  }

  private mutating func addStream(
    of board: UInt16, _ identity: BoardIdentity, _ description: StreamDescription
  ) {
    var stream = RecordedStream(board: board, identity, description, session: beginning.session)
    if isContinued, let former = interrupted?.stream(description.signal, of: identity.address) {
      stream.resume(former)
    }
    streams.append(stream)
  }

  private mutating func beginTail() {
    do throws(SystemError) {
      tail = try RecorderTail(store: storePath, atRiskSeconds: beginning.atRiskSeconds) {
        [mailbox] failure in
        _ = mailbox.post(.synced(failure), rings: false)
      }
    } catch {
      isTailBroken = true
      fail(StoreError(.other, error.description, remedy: error.remedy))
    }
  }

  mutating func record(_ event: SessionEvent) {
    lastEvent = max(lastEvent ?? event.time, event.time)
    commits.add(event)
    tail?.add(.event(event))
  }

  /// Records that the boards are about to be stopped.
  mutating func noteStop(_ event: SessionEvent) {
    stopping = event
    tail?.add(.event(event))
  }

  mutating func noteSynced(_ failure: StoreError?) {
    tail?.noteSynced()
    if let failure { fail(failure) }
  }

  mutating func note(_ outcome: StoreWriter.Outcome, isEnding: Bool, at now: BootTime) {
    switch outcome {
    case .committed(let isStored):
      let batch = commits.answered()
      for (position, chunk) in batch.chunks {
        if isStored { streams[position].confirmed(chunk) } else { streams[position].refused(chunk) }
      }
      if isStored { totals.fixes += UInt64(batch.fixes) }
      if commits.isIdle, !isEnding { shortenTail(at: now) }
    case .space: break
    case .failed(let error):
      isStoreBroken = true
      if error.kind == .gone { noteStoreGone() }
      fail(error)
    }
  }

  /// Records that the store's file was deleted, so all data that was stored only there is lost.
  private mutating func noteStoreGone() {
    let hasTail = !isTailBroken && tail?.isInPlace == true
    if !hasTail { isTailBroken = true }
    for position in streams.indices { streams[position].noteStoreGone(hasTail: hasTail) }
    totals.fixes = 0
  }

  // MARK: Pauses

  /// Starts a pause at `time`, or ends the current pause. If the request arrives late, the pause
  /// starts after the readings that were already recorded.
  mutating func togglePause(at time: BootTime) {
    // The session ended when its boards were stopped, so pausing and resuming are no longer
    // possible.
    guard stopping == nil else { return }
    let earliest =
      firstSample == nil ? beginning.session.start.nanoseconds : lastReading.nanoseconds + 1
    let time = max(time, BootTime(nanoseconds: earliest))
    pauses.toggle(at: time)
    record(SessionEvent(pauses.start == nil ? .resumed : .paused, at: time))
  }

  var pauseStart: BootTime? { pauses.start }

  // MARK: Readings and positions

  mutating func record(_ reading: Reading) {
    guard let first = firstStream(of: reading.board) else { return }
    let position = first + Int(reading.stream)
    lastReading = max(lastReading, reading.arrival)
    if reading.kind == .sample {
      if firstSample == nil { firstSample = reading.arrival }
      guard !pauses.contains(reading.arrival) else {
        streams[position].skip(reading)
        statistics.interrupt(stream: position)
        return
      }
      if let event = statistics.add(reading, stream: position) { record(event) }
      if streams[position].ends(before: reading) { seal(position) }
    }
    if streams[position].append(reading) { seal(position) }
  }

  func sample(
    _ reading: Reading, since firstSample: BootTime, now: (boot: BootTime, utc: UTCTime)
  ) -> LiveSample? {
    guard let first = firstStream(of: reading.board) else { return nil }
    var sample = streams[first + Int(reading.stream)].sample(
      reading, firstSample: firstSample, now: now)
    sample.position = track.position(at: reading.arrival)
    return sample
  }

  @inline(__always)
  private func firstStream(of board: UInt16) -> Int? {
    Int(board) < firstStreams.count ? firstStreams[Int(board)] : nil
  }

  mutating func record(_ report: PositionReport) {
    // The receiver keeps running while the boards disconnect, which takes seconds. Positions from
    // that time do not belong to any sample.
    if let stopping, report.arrival > max(stopping.time, lastReading) { return }
    // After a pause, as after a loss, the next fix must not be joined to the previous one.
    let isPaused = pauses.contains(report.arrival)
    guard let fix = track.add(isPaused ? .noFix(arrival: report.arrival) : report) else { return }
    commits.add(fix)
    statistics.add(fix)
    tail?.add(.fix(fix))
    // The fixes in a file have the time of an earlier recording, and a fixed position has no time.
    guard beginning.fixesTellTheTime else { return }
    if let entry = clock.observe(fix) { add(entry) }
  }

  // MARK: Rounds

  /// Does the periodic work: checks the clock, seals chunks that have been open too long, writes
  /// the tail and commits.
  mutating func round(at now: BootTime) {
    if streams.isEmpty, let found = interrupted, now > found.goesOnUntil {
      interrupted = nil
      writer?.ask(.abandon)
    }
    if clock.isLookDue(at: now) { lookAtSystemClock() }
    sealOverdue(at: now)
    writeTail(at: now)
    if commits.isDue(at: now) { commit(at: now) }
  }

  private mutating func lookAtSystemClock() {
    let isSynchronised = BootClock.isSystemTimeSynchronised
    if let entry = clock.look(at: BootClock.pair(), isSynchronised: isSynchronised) { add(entry) }
  }

  private mutating func add(_ entry: ClockTable.Entry) {
    commits.add(entry)
    tail?.add(.clock(entry))
    if let disagreement = clock.note(entry) { listener.onClock(disagreement) }
  }

  private mutating func seal(_ position: Int) {
    keep(
      streams[position].seal(fixes: track.fixes(since: streams[position].openedAt)), of: position)
  }

  private mutating func keep(_ sealed: (chunk: Chunk, rest: ChunkPiece?)?, of position: Int) {
    guard let sealed else { return }
    if let rest = sealed.rest { tail?.add(.samples(UInt16(position), rest)) }
    // If the store rejects the chunk, the next recorder finds its samples in the tail.
    if let ending = sealed.chunk.ending { tail?.add(.stream(UInt16(position), ending)) }
    commits.add(streams[position].sound(sealed.chunk), of: position)
  }

  private mutating func sealOverdue(at now: BootTime) {
    for position in streams.indices {
      guard let opened = streams[position].openedAt,
        now.seconds(since: opened) > beginning.sealSeconds || track.isFull(since: opened)
      else { continue }
      seal(position)
    }
  }

  private mutating func writeTail(at now: BootTime) {
    guard !isTailBroken else { return }
    do throws(StoreError) {
      try tail?.write(&streams, at: now)
      for position in streams.indices { streams[position].noteWritten() }
    } catch {
      isTailBroken = true
      fail(error)
    }
    // The disk space reserved for the tail has room for all further records until the recording
    // ends.
    if let shortage = tail?.shortage { fail(shortage) }
  }

  /// Moves all unstored data to a new tail file if the current file has become too long.
  private mutating func shortenTail(at now: BootTime) {
    guard totals.failure == nil, !isTailBroken else { return }
    let rest = commits.records + [stopping].compactMap { $0.map { TailRecord.event($0) } }
    do throws(StoreError) {
      try tail?.shorten(&streams, keeping: rest, at: now)
    } catch {
      isTailBroken = true
      fail(error)
    }
  }

  /// Passes all complete data to the writer.
  private mutating func commit(at now: BootTime) {
    guard !streams.isEmpty else { return }
    if let writer, !isStoreBroken {
      writer.ask(.commit(commits.begin(at: now)))
    } else {
      let chunks = commits.drop(at: now)
      // Without a store, the samples were only shown.
      if writer != nil { for (position, chunk) in chunks { streams[position].refused(chunk) } }
    }
    track.forget(before: streams.compactMap(\.openedAt).min() ?? now)
  }

  private mutating func fail(_ error: StoreError) {
    guard totals.failure == nil else { return }
    totals.failure = error
    listener.onFailure(error)
  }

  // MARK: The end

  /// Adds the streams of boards that have not reconnected since the interruption. Their samples are
  /// counted as missing until the session ends.
  private mutating func addAbsentStreams() {
    guard isContinued, let interrupted else { return }
    for former in interrupted.streams {
      let isBack = streams.contains {
        $0.address == former.board.address
          && $0.totals.description.signal == former.description.signal
      }
      guard !isBack else { continue }
      addStream(of: .max, former.board, former.description)
      tail?.add(.stream(UInt16(streams.count - 1), streams[streams.count - 1].outline))
    }
  }

  /// Seals everything and returns once the writer has closed the store. The writer's last replies
  /// are then in the mailbox. Pass them to `note` before reading `finalTotals`. The session ends at
  /// `end`, or when its boards were stopped.
  mutating func finish(at end: BootTime, now: BootTime) {
    let stop = stopping?.time ?? end
    addAbsentStreams()
    for position in streams.indices {
      let fixes = track.fixes(since: streams[position].openedAt)
      keep(streams[position].finish(at: stop, fixes: fixes), of: position)
    }
    if let entry = clock.end() { add(entry) }
    writeTail(at: now)
    commit(at: now)
    guard let writer else { return }
    // The boards may take seconds to confirm the stop, so the session ends at the stop or with its
    // last data, not now.
    let end = (streams.map(\.totals.lastSample) + [lastEvent, track.last?.arrival])
      .compactMap(\.self).reduce(stop, max)
    writer.ask(
      .finish(
        end, tail?.finish(),
        // Readers compute missing statistics themselves.
        statistics.isWhole ? statistics.statistics(until: end) : nil))
    writer.join()
  }

  /// The session's counts, ordered by board.
  var finalTotals: RecorderTotals {
    var totals = totals
    totals.session = id
    // Boards are registered as they become ready.
    totals.streams = Dictionary(grouping: streams.map(\.totals), by: \.board)
      .sorted { $0.key < $1.key }.flatMap(\.value)
    return totals
  }

  // MARK: Live view

  func statistics(until now: BootTime) -> SessionStatistics { statistics.statistics(until: now) }

  mutating func liveStreams() -> [RecorderView.Stream] {
    for position in streams.indices { streams[position].refreshLive() }
    return streams.map { RecorderView.Stream(board: $0.totals.board, live: $0.live) }
  }
}
