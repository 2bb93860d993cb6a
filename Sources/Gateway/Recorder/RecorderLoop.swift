internal import BoardDriver
internal import LinuxSystem
internal import Recording
internal import RingBuffer
internal import Storage
internal import Values

/// The recorder thread's body: moves readings and positions from the rings to the open session, or
/// buffers them for the next session.
struct RecorderLoop: ThreadLoop, ~Copyable {
  /// Seconds between checks of the rings while readings arrive. After a check, the readings are
  /// written to the tail, where they survive the end of this process. Producers signal the bell
  /// only when their ring fills up, because waking for every packet would cost more than handling
  /// it. The live view is refreshed at the same interval.
  private static let roundSeconds = 0.2
  /// Seconds to wait for readings before the loop sleeps until a producer signals the bell. A
  /// producer signals the bell for the first reading after a quarter of a second without readings.
  private static let pauseSeconds = 0.3
  /// Seconds from the start of a recording to the first notice that no session has begun. Linking
  /// and setting up the boards takes this long.
  private static let startSeconds = 15.0
  /// The maximum time in seconds that the loop sleeps before it checks the rings without a signal.
  private static let idleSeconds = 1.0

  private let mailbox: Mailbox<RecorderThread.Request>
  private let bell: WakeUp
  /// Waits for a signal from the bell, which has index 0, or from the mailbox, which has index 1.
  private var polls = PollSet()
  private let onFirstSample: @Sendable (BootTime) -> Void
  private let listener: SessionRecorder.Listener
  private let onSpace: @Sendable (StoreWriter.Space) -> Void
  private let onSession: @Sendable (RecorderThread.SessionReport) -> Void
  private var ends: RecorderEnds
  private var beginning: RecorderThread.Beginning?
  private var storePath = ""
  /// Receives the samples if they are shown instead of stored.
  private var audience: (@Sendable ([LiveSample]) -> Void)?

  /// Boards that are set up, in the order in which they became ready.
  private var boards: [RegisteredBoard] = []
  /// Whether each board is set up, and its link meter, both by board number.
  private var areRegistered: [Bool] = []
  private var meters: [LinkMeter] = []
  /// The open session, or `nil` between sessions.
  private var session: SessionRecorder?
  /// Decides when sessions begin and end, and buffers data until then.
  private var standby = Standby()
  /// The participant, if it was set before the recording was opened.
  private var earlyParticipant: Participant??
  /// Pauses requested while no session is open.
  private var earlyPauses = Pauses()
  /// The next session's writer, and whether the writer has opened the store. `nil` if there is no
  /// next session. The writer is `nil` if samples are only shown.
  private var spare: (writer: StoreWriter?, isOpen: Bool)?

  /// An interrupted recorder's session, until it is continued or a new one begins.
  private var interrupted: InterruptedSession?

  private var view: RecorderView
  private let columns: ColumnsBoard
  private var totals = RecorderTotals()
  private var firstSample: BootTime?
  /// The readings and positions most recently taken from the rings. The arrays are reused to avoid
  /// allocations.
  private var readings: [Reading] = []
  private var reports: [PositionReport] = []
  private let start = BootClock.now()
  /// The current time, read once per check of the rings.
  private var now = BootClock.now()
  private var lastReading = BootTime(nanoseconds: 0)
  /// The caller that is waiting for the end of the recording, or `nil` before `finish` is called.
  private var finishing: Reply<RecorderTotals>?
  private var isOver = false

  init(
    _ mailbox: Mailbox<RecorderThread.Request>, _ bell: WakeUp, _ status: StatusBoard,
    _ columns: ColumnsBoard, _ ends: consuming RecorderEnds,
    onFirstSample: @escaping @Sendable (BootTime) -> Void,
    onFailure: @escaping @Sendable (StoreError) -> Void,
    onSpace: @escaping @Sendable (StoreWriter.Space) -> Void,
    onClock: @escaping @Sendable (ClockTable.Disagreement) -> Void,
    onSession: @escaping @Sendable (RecorderThread.SessionReport) -> Void
  ) {
    self.mailbox = mailbox
    self.bell = bell
    view = RecorderView(on: status)
    self.columns = columns
    self.ends = ends
    self.onFirstSample = onFirstSample
    listener = SessionRecorder.Listener(onFailure: onFailure, onClock: onClock)
    self.onSpace = onSpace
    self.onSession = onSession
    polls.add(bell.number)
    polls.add(mailbox.bell.number)
  }

  func pause() -> Double? {
    guard !isOver else { return nil }
    let isIdle = now.seconds(since: lastReading) > Self.pauseSeconds
    return isIdle ? Self.idleSeconds : Self.roundSeconds
  }

  mutating func wait(seconds: Double) -> Bool { polls.wait(seconds: seconds) }

  mutating func round() {
    now = BootClock.now()
    if polls.isReadable(0) { bell.clear() }
    let isAsked = polls.isReadable(1)
    // Empty the rings first. Any request that concerns these readings, such as a registration or a
    // pause, was posted earlier and is handled next.
    emptyRings()
    // Some replies from the writer arrive without a signal. Waking the loop for such a reply costs
    // more than handling it at the next check of the rings.
    serveRequests()
    takeArrivals()
    if finishing != nil {
      // Take the readings that arrived before the request to finish.
      emptyRings()
      takeArrivals()
    }
    changeSession()
    session?.round(at: now)
    refreshStatus(isAsked: isAsked)
    if let finishing {
      finish()
      finishing.give(totals)
      isOver = true
    }
  }

  // MARK: Requests

  private mutating func serveRequests() {
    for request in mailbox.takeAll() {
      switch request {
      case .open(let destination, let beginning, let reply):
        open(destination, beginning, reply)
      case .opened(let opening, let reply): note(opening, reply)
      case .former(let id, let statistics): session?.add(former: statistics, of: id)
      case .addBoard(let board, let reply): add(board, reply)
      case .command(let command): standby.obey(command)
      case .participant(let participant):
        if beginning == nil { earlyParticipant = participant }
        beginning?.session.participant = participant
        session?.take(participant)
      case .corrected(let participant, let id):
        if session?.id == id { session?.correct(participant) }
      case .walking(let settings): standby.change(to: settings)
      case .event(let event): passOn(event)
      case .togglePause(let time): togglePause(at: time)
      case .pause(let isPaused, let time):
        let mayChange = session != nil || !standby.isForWalks
        if mayChange, isPaused != (pauseStart != nil) { togglePause(at: time) }
      case .stored(let outcome): note(outcome)
      case .synced(let failure): session?.noteSynced(failure)
      case .phase(let board, let identity, let phase):
        view.note(phase, of: board, identity, at: now)
      case .stopping(let event): session?.noteStop(event)
      case .finish(let reply): finishing = reply
      }
    }
  }

  private mutating func open(
    _ destination: RecordingPlan.Destination, _ beginning: RecorderThread.Beginning,
    _ reply: Reply<StoreWriter.Opening>
  ) {
    self.beginning = beginning
    if let earlyParticipant { self.beginning?.session.participant = earlyParticipant }
    switch destination {
    case .live(let audience):
      self.audience = audience
      spare = (nil, true)
      reply.give(.success(StoreWriter.Opened()))
    case .store(let path):
      storePath = path
      do throws(SystemError) {
        let writer = try makeWriter(mayContinue: beginning.continuesSessions) { [mailbox] opening in
          _ = mailbox.post(.opened(opening, reply))
        }
        spare = (writer, false)
        if let walking = beginning.walking {
          standby.beginWithWalking(walking, hasReceiver: beginning.hasReceiver)
        }
      } catch {
        reply.give(.failure(StoreError(.other, error.description, remedy: error.remedy)))
      }
    }
  }

  /// Records whether the writer has opened the store. `reply` passes the result to the caller that
  /// is waiting for the first writer.
  private mutating func note(
    _ opening: StoreWriter.Opening, _ reply: Reply<StoreWriter.Opening>?
  ) {
    switch opening {
    case .success(let opened):
      spare?.isOpen = true
      if let interrupted = opened.interrupted {
        self.interrupted = interrupted
        standby.expectWalk(until: interrupted.goesOnUntil)
      }
    case .failure(let error): if reply == nil { listener.onFailure(error) }
    }
    reply?.give(opening)
  }

  private func makeWriter(
    mayContinue: Bool = false, _ opened: @escaping @Sendable (StoreWriter.Opening) -> Void
  ) throws(SystemError) -> StoreWriter {
    try StoreWriter(storePath, mayContinue: mayContinue, opened: opened) { [mailbox] outcome in
      _ = mailbox.post(.stored(outcome), rings: outcome.isUrgent)
    }
  }

  private mutating func add(_ board: RegisteredBoard, _ reply: Reply<Void>) {
    guard beginning != nil else { return reply.give(()) }
    boards.append(board)
    while meters.count <= Int(board.number) {
      meters.append(LinkMeter())
      areRegistered.append(false)
    }
    areRegistered[Int(board.number)] = true
    view.note(.streaming, of: board.number, board.identity, at: now)
    standby.add(board)
    columns.add(board)
    if session != nil { session?.add(board, reply) } else { reply.give(()) }
    if session != nil, boards.count == 1 { tellContinuation() }
  }

  private mutating func tellContinuation() {
    interrupted = nil
    guard let found = session?.continuation else { return }
    onSession(.continued(found.session, seconds: found.seconds))
  }

  /// Start of the current pause, or `nil` outside a pause.
  private var pauseStart: BootTime? {
    mutating get { session == nil ? earlyPauses.start : session?.pauseStart }
  }

  /// Starts or ends a pause. A new session adopts the pauses requested before it began.
  private mutating func togglePause(at time: BootTime) {
    if session != nil { session?.togglePause(at: time) } else { earlyPauses.toggle(at: time) }
  }

  private mutating func note(_ outcome: StoreWriter.Outcome) {
    if case .space(let space) = outcome { onSpace(space) }
    // The next session's writer has reported that the store's file was deleted.
    if case .failed(let error) = outcome, session == nil { listener.onFailure(error) }
    session?.note(outcome, isEnding: finishing != nil, at: now)
  }

  // MARK: Rings

  private mutating func emptyRings() {
    while let report = ends.positions.pop() { reports.append(report) }
    // Uses a separate buffer, because Swift does not allow `ends` and another field to be changed
    // at the same time.
    var readings: [Reading] = []
    swap(&readings, &self.readings)
    ends.readings.drain { part in
      for index in part.indices { readings.append(part[index]) }
    }
    swap(&readings, &self.readings)
  }

  /// Passes the rings' contents to the session, or buffers them for the next session.
  private mutating func takeArrivals() {
    for report in reports { passOn(report) }
    reports.removeAll(keepingCapacity: true)
    // The array is moved out of `self`, so that the loop does not copy it when it changes other
    // fields.
    var readings: [Reading] = []
    swap(&readings, &self.readings)
    for reading in readings {
      lastReading = now
      // Readings that arrived before a board was registered do not belong to any recorded stream.
      guard isRegistered(reading.board) else { continue }
      if reading.kind == .sample {
        if firstSample == nil {
          firstSample = reading.arrival
          onFirstSample(reading.arrival)
        }
        meters[Int(reading.board)].take(reading.arrival, stream: reading.stream)
      }
      passOn(reading)
    }
    if let audience { show(readings, to: audience) }
    if columns.isWatched { columns.take(readings, at: now) }
    readings.removeAll(keepingCapacity: true)
    swap(&readings, &self.readings)
  }

  @inline(__always)
  private func isRegistered(_ board: UInt16) -> Bool {
    Int(board) < areRegistered.count && areRegistered[Int(board)]
  }

  /// Passes a reading to the open session, or buffers it for the next session.
  private mutating func passOn(_ reading: Reading) {
    standby.look(at: reading)
    if deliversToSession() { session?.record(reading) } else { standby.hold(reading) }
  }

  private mutating func passOn(_ report: PositionReport) {
    standby.look(at: report)
    if deliversToSession() { session?.record(report) } else { standby.hold(report) }
  }

  private mutating func passOn(_ event: SessionEvent) {
    standby.look(at: event)
    if deliversToSession() { session?.record(event) } else { standby.hold(event) }
  }

  /// Whether new data goes to the open session. If so, the session has already received all the
  /// data that was buffered for it.
  @inline(__always)
  private mutating func deliversToSession() -> Bool {
    guard session != nil, standby.passesOn else { return false }
    if standby.holdsAny { giveHeld(since: BootTime(nanoseconds: 0)) }
    return true
  }

  private mutating func giveHeld(since start: BootTime) {
    guard var open = session.take() else { return }
    standby.give(to: &open, since: start)
    session = consume open
  }

  private func show(_ readings: [Reading], to audience: @Sendable ([LiveSample]) -> Void) {
    guard let firstSample else { return }
    let clock = BootClock.pair()
    let samples = readings.compactMap { reading in
      reading.kind == .sample ? session?.sample(reading, since: firstSample, now: clock) : nil
    }
    if !samples.isEmpty { audience(samples) }
  }

  // MARK: Beginning and ending sessions

  private mutating func changeSession() {
    if session == nil { standby.forget(at: now) }
    if session == nil, let found = interrupted, now > found.goesOnUntil {
      interrupted = nil
      standby.expectWalk(until: nil)
      spare?.writer?.ask(.abandon)
    }
    let mayBegin = spare?.isOpen ?? false
    switch standby.next(isOpen: session != nil, mayBegin: mayBegin, at: now) {
    case .begin(let step): beginSession(with: step)
    case .end: endSession()
    case nil: break
    }
    guard now.seconds(since: start) >= Self.startSeconds else { return }
    if let refusal = standby.notice(at: now) { onSession(.refused(refusal)) }
  }

  private mutating func beginSession(with step: WalkingWatch.Step?) {
    guard var beginning, let spare else { return }
    var firstPacket = beginning.session.start
    if standby.isForWalks {
      firstPacket = standby.start(of: step, now: now)
      // The samples in a packet were measured before the packet arrived.
      let start = firstPacket.advanced(bySeconds: -(boards.map(\.delaySeconds).max() ?? 0))
      beginning.session.id = .random()
      beginning.session.start = start
      for index in beginning.hazards.indices { beginning.hazards[index].time = start }
    }
    let start = beginning.session.start
    session = SessionRecorder(
      beginning, by: spare.writer, at: storePath, mailbox, listener, now: now)
    self.spare = nil
    for time in earlyPauses.takeTimes() { session?.togglePause(at: time) }
    if let interrupted { session?.mayContinue(interrupted) }
    for place in boards.indices {
      session?.add(boards[place], besides: place == 0 ? Array(boards.dropFirst()) : [], nil)
    }
    for event in standby.events(at: start) { session?.record(event) }
    if session?.continuation == nil {
      giveHeld(since: firstPacket)
      if standby.isForWalks {
        onSession(.began(beginning.session.id, secondsAgo: now.seconds(since: start)))
      }
    }
    if !boards.isEmpty { tellContinuation() }
  }

  /// Ends the session with the last reading that was passed to it. Later readings wait for the next
  /// session.
  private mutating func endSession() {
    close(at: session?.lastReading ?? now)
    do throws(SystemError) {
      spare = (try makeWriter { [mailbox] in _ = mailbox.post(.opened($0, nil)) }, false)
    } catch {
      listener.onFailure(StoreError(.other, error.description, remedy: error.remedy))
    }
  }

  // MARK: The end

  private mutating func close(at end: BootTime) {
    guard session != nil else { return }
    session?.finish(at: end, now: now)
    // Handle the writer's last replies.
    serveRequests()
    guard let closed = session.take() else { return }
    let id = closed.id
    let counts = closed.finalTotals
    if standby.isForWalks { onSession(.ended(id, counts)) } else { totals = counts }
    if totals.failure == nil { totals.failure = counts.failure }
  }

  private mutating func finish() {
    // The recording ends before it is known whether the wearer would have continued walking, so
    // keep the buffered data.
    giveHeld(since: BootTime(nanoseconds: 0))
    close(at: now)
    guard let writer = spare?.writer else { return }
    // This writer has stored nothing, and only needs to close the store.
    writer.ask(.finish(now, nil, SessionStatistics()))
    writer.join()
  }

  // MARK: Live view

  private mutating func refreshStatus(isAsked: Bool) {
    let isNews = lastReading == now && (view.isFollowed || columns.isWatched)
    guard isAsked || isNews || view.age(at: now) >= Self.roundSeconds else { return }
    var parts = RecorderView.Parts()
    var streams: [RecorderView.Stream] = []
    if session != nil {
      streams = standby.withWaiting(session?.liveStreams() ?? [])
      parts.statistics = session?.statistics(until: now) ?? SessionStatistics()
      parts.firstSample = session?.firstSample
      parts.fix = session?.track.last
      if audience == nil, parts.firstSample != nil {
        parts.session = session?.id
        parts.participant = session?.participant?.id
      }
    } else {
      streams = standby.liveStreams()
      parts.standby = standby.live(at: now)
      parts.fix = standby.lastFix
    }
    if let start = pauseStart {
      parts.pause = max(0, now.seconds(since: start))
    }
    view.show(streams, meters, parts, at: now)
  }
}
