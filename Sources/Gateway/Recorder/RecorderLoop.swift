internal import BoardDriver
internal import ChunkFormat
internal import LinuxSystem
internal import NMEA
internal import Recording
internal import RingBuffer
internal import Storage
internal import Values

/// The body of the recorder thread.
struct RecorderLoop: ThreadLoop, ~Copyable {
  /// Seconds from one look into the rings to the next while readings arrive. The readings found are
  /// then in the tail, where they survive the end of this process. Producers ring only when their
  /// ring fills up: waking for every packet would cost more than handling it. The live view is
  /// refreshed as often.
  private static let roundSeconds = 0.2
  /// Seconds without readings after which the loop sleeps until a producer rings. Producers ring
  /// for a reading that follows a quarter of a second without one.
  private static let pauseSeconds = 0.3
  /// Seconds after which the sleeping loop looks even without a ring.
  private static let idleSeconds = 1.0

  private let mailbox: Mailbox<RecorderThread.Request>
  private let bell: WakeUp
  /// Waits for the bell and the mailbox, in this order.
  private var polls = PollSet()
  private let onFirstSample: @Sendable (BootTime) -> Void
  private let onFailure: @Sendable (StoreError) -> Void
  private let onSpace: @Sendable (StoreWriter.Space) -> Void
  private let onClock: @Sendable (ClockTable.Disagreement) -> Void
  private var ends: RecorderEnds
  /// Writes the store; `nil` when samples are only shown.
  private var writer: StoreWriter?
  private var tail: RecorderTail?
  /// Whether the store or the tail can no longer be written. Where one fails the other goes on:
  /// together they lose nothing.
  private var isStoreBroken = false
  private var isTailBroken = false
  /// Receives the samples when they are not stored.
  private var audience: (@Sendable ([LiveSample]) -> Void)?
  private var beginning: RecorderThread.Beginning?
  private var storePath = ""

  private var streams: [RecordedStream] = []
  /// Position in `streams` of each board's first stream, by the board's number. The loop looks it
  /// up for each reading, for which a dictionary takes too long.
  private var firstStreams: [Int?] = []
  /// Measures the link of each board, at the board's number.
  private var meters: [LinkMeter] = []
  private var view: RecorderView
  private var statistics: RecorderStatistics?
  private var totals = RecorderTotals()
  private var firstSample: BootTime?

  private var commits = CommitQueue(at: BootClock.now())
  private var track = RecordedTrack()
  private var clock = RecordedClock()
  /// Scratch buffer for the readings of one round, kept to avoid allocating it again.
  private var readings: [Reading] = []
  private var lastEvent: BootTime?
  /// The time of this round, read once a round.
  private var now = BootClock.now()
  private var lastReading = BootTime(nanoseconds: 0)
  /// The event that stops the boards. It is only in the tail: a session that ends in order needs no
  /// note of it.
  private var stopping: SessionEvent?
  /// The caller that waits for the end; `nil` before.
  private var finishing: Reply<RecorderTotals>?
  private var isOver = false

  init(
    _ mailbox: Mailbox<RecorderThread.Request>, _ bell: WakeUp, _ status: StatusBoard,
    _ ends: consuming RecorderEnds, onFirstSample: @escaping @Sendable (BootTime) -> Void,
    onFailure: @escaping @Sendable (StoreError) -> Void,
    onSpace: @escaping @Sendable (StoreWriter.Space) -> Void,
    onClock: @escaping @Sendable (ClockTable.Disagreement) -> Void
  ) {
    self.mailbox = mailbox
    self.bell = bell
    view = RecorderView(on: status)
    self.ends = ends
    self.onFirstSample = onFirstSample
    self.onFailure = onFailure
    self.onSpace = onSpace
    self.onClock = onClock
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
    // Some answers wait without a bell: waking the loop for one costs more than handling it in the
    // next round.
    serveRequests()
    drainPositions()
    drainReadings()
    if beginning != nil, clock.isLookDue(at: now) { lookAtSystemClock() }
    sealOverdue()
    writeTail()
    commitIfDue()
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
        self.beginning = beginning
        statistics = RecorderStatistics(start: beginning.session.start)
        open(destination, reply)
      case .addBoard(let board, let identity, let descriptions, let reply):
        add(board, identity, descriptions, reply)
      case .event(let event):
        lastEvent = event.time
        commits.add(event)
        tail?.add(.event(event))
      case .stored(let outcome):
        note(outcome)
      case .synced(let failure):
        tail?.noteSynced()
        if let failure { fail(failure) }
      case .phase(let board, let identity, let phase):
        view.note(phase, of: board, identity)
      case .stopping(let event):
        stopping = event
        tail?.add(.event(event))
      case .finish(let reply):
        finishing = reply
      }
    }
  }

  private mutating func open(
    _ destination: RecordingPlan.Destination, _ reply: Reply<StoreWriter.Opening>
  ) {
    lookAtSystemClock()
    switch destination {
    case .live(let audience):
      self.audience = audience
      reply.give(.success(nil))
    case .store(let path):
      storePath = path
      do throws(SystemError) {
        writer = try StoreWriter(path, opening: reply) { [mailbox] outcome in
          _ = mailbox.post(.stored(outcome), rings: outcome.isUrgent)
        }
      } catch {
        reply.give(.failure(StoreError(.other, error.description, remedy: error.remedy)))
      }
    }
  }

  private mutating func add(
    _ board: UInt16, _ identity: BoardIdentity, _ descriptions: [StreamDescription],
    _ reply: Reply<Void>
  ) {
    guard let beginning else { return reply.give(()) }
    while firstStreams.count <= Int(board) { firstStreams.append(nil) }
    firstStreams[Int(board)] = streams.count
    while meters.count <= Int(board) { meters.append(LinkMeter()) }
    let isFirst = streams.isEmpty
    for description in descriptions {
      streams.append(
        RecordedStream(board: board, identity, description, session: beginning.session))
      statistics?.add(
        description, of: identity.address,
        placement: beginning.placements[identity.address] ?? "")
    }
    view.note(.streaming, of: board, identity)
    guard let writer else { return reply.give(()) }
    // The session begins with its first board: a search that finds nothing leaves no session.
    if isFirst {
      writer.ask(.begin(beginning.session, beginning.hazards))
      beginTail()
      for record in commits.records { tail?.add(record) }
    }
    for position in streams.indices.suffix(descriptions.count) {
      tail?.add(.stream(UInt16(position), streams[position].outline))
    }
    writer.ask(.addBoard(identity, descriptions, reply))
  }

  private mutating func beginTail() {
    do throws(SystemError) {
      tail = try RecorderTail(store: storePath) { [mailbox] failure in
        _ = mailbox.post(.synced(failure), rings: false)
      }
    } catch {
      isTailBroken = true
      fail(StoreError(.other, error.description, remedy: error.remedy))
    }
  }

  /// Takes an answer of the writer.
  private mutating func note(_ outcome: StoreWriter.Outcome) {
    switch outcome {
    case .committed(let isStored):
      let batch = commits.answered()
      for (position, chunk) in batch.chunks {
        if isStored { streams[position].confirmed(chunk) } else { streams[position].refused(chunk) }
      }
      if isStored { totals.fixes += UInt64(batch.fixes) }
      if commits.isIdle, finishing == nil { shortenTail() }
    case .space(let space):
      onSpace(space)
    case .failed(let error):
      isStoreBroken = true
      fail(error)
    }
  }

  // MARK: Rings

  private mutating func drainReadings() {
    var samples: [LiveSample] = []
    let isHeard = audience != nil
    let clock = isHeard ? BootClock.pair() : nil
    var readings: [Reading] = []
    swap(&readings, &self.readings)
    ends.readings.drain { part in
      for index in part.indices { readings.append(part[index]) }
    }
    defer {
      readings.removeAll(keepingCapacity: true)
      swap(&readings, &self.readings)
    }
    for reading in readings {
      lastReading = now
      // A board is registered before its sensors start, but maybe after the last look at the
      // requests.
      if firstStream(of: reading.board) == nil { serveRequests() }
      // A board's readings from before its registration belong to no recorded stream.
      guard let first = firstStream(of: reading.board) else { continue }
      let position = first + Int(reading.stream)
      if reading.kind == .sample, firstSample == nil {
        firstSample = reading.arrival
        onFirstSample(reading.arrival)
      }
      if reading.kind == .sample {
        meters[Int(reading.board)].take(reading.arrival, stream: reading.stream)
        statistics?.take(reading, stream: position)
      }
      if streams[position].take(reading) { seal(position) }
      if isHeard, reading.kind == .sample, let clock, let firstSample {
        var sample = streams[position].sample(reading, firstSample: firstSample, now: clock)
        sample.position = track.position(at: reading.arrival)
        samples.append(sample)
      }
    }
    if let audience, !samples.isEmpty { audience(samples) }
  }

  @inline(__always)
  private func firstStream(of board: UInt16) -> Int? {
    Int(board) < firstStreams.count ? firstStreams[Int(board)] : nil
  }

  private mutating func drainPositions() {
    while let report = ends.positions.pop() {
      guard let fix = track.take(report) else { continue }
      commits.add(fix)
      statistics?.take(fix)
      tail?.add(.fix(fix))
      // A file was recorded at another time, and a user who names a place gives no time.
      guard beginning?.fixesTellTheTime ?? true else { continue }
      if let entry = clock.observe(fix) { add(entry) }
    }
  }

  private mutating func lookAtSystemClock() {
    let isSynchronised = BootClock.isSystemTimeSynchronised
    if let entry = clock.look(at: BootClock.pair(), isSynchronised: isSynchronised) { add(entry) }
  }

  private mutating func add(_ entry: ClockTable.Entry) {
    commits.add(entry)
    tail?.add(.clock(entry))
    if let disagreement = clock.note(entry) { onClock(disagreement) }
  }

  // MARK: Store

  private mutating func seal(_ position: Int) {
    keep(
      streams[position].seal(fixes: track.fixes(since: streams[position].openedAt)), of: position)
  }

  private mutating func keep(_ sealed: (chunk: Chunk, rest: ChunkPiece?)?, of position: Int) {
    guard let sealed else { return }
    if let rest = sealed.rest { tail?.add(.samples(UInt16(position), rest)) }
    commits.add(streams[position].sound(sealed.chunk), of: position)
  }

  private mutating func sealOverdue() {
    for position in streams.indices {
      guard let opened = streams[position].openedAt, let beginning,
        now.seconds(since: opened) > beginning.sealSeconds || track.isFull(since: opened)
      else { continue }
      seal(position)
    }
  }

  private mutating func writeTail() {
    guard !isTailBroken else { return }
    do throws(StoreError) {
      try tail?.write(&streams, at: now)
      for position in streams.indices { streams[position].noteWritten() }
    } catch {
      isTailBroken = true
      fail(error)
    }
    // The reserved space takes all records until the end.
    if let shortage = tail?.shortage { fail(shortage) }
  }

  /// Moves everything that is not in the store to a new file of the tail when the old one is long.
  private mutating func shortenTail() {
    guard totals.failure == nil, !isTailBroken else { return }
    let rest = commits.records + [stopping].compactMap { $0.map { TailRecord.event($0) } }
    do throws(StoreError) {
      try tail?.shorten(&streams, keeping: rest, at: now)
    } catch {
      isTailBroken = true
      fail(error)
    }
  }

  private mutating func commitIfDue() {
    if commits.isDue(at: now) { commit() }
  }

  /// Hands everything that is complete to the writer.
  private mutating func commit() {
    guard !streams.isEmpty else { return }
    if let writer, !isStoreBroken {
      writer.ask(.commit(commits.begin(at: now)))
    } else {
      let chunks = commits.drop(at: now)
      // Without a store the samples were only shown.
      if writer != nil { for (position, chunk) in chunks { streams[position].refused(chunk) } }
    }
    track.forget(before: streams.compactMap(\.openedAt).min() ?? now)
  }

  private mutating func fail(_ error: StoreError) {
    guard totals.failure == nil else { return }
    totals.failure = error
    onFailure(error)
  }

  private mutating func finish() {
    let stop = stopping?.time ?? now
    for position in streams.indices {
      let fixes = track.fixes(since: streams[position].openedAt)
      keep(streams[position].finish(at: stop, fixes: fixes), of: position)
    }
    if let entry = clock.end() { add(entry) }
    writeTail()
    commit()
    if let writer {
      // The session does not end at the last board's answer to the stop, which takes seconds.
      let end =
        (streams.map(\.totals.lastSample) + [lastEvent]).compactMap(\.self).reduce(stop, max)
      writer.ask(
        .finish(
          end, tail?.finish(),
          StoreWriter.Tally(
            statistics: statistics?.statistics(until: end) ?? SessionStatistics(),
            placements: beginning?.placements ?? [:])))
      writer.join()
      // Its last answers.
      serveRequests()
    }
    // Boards are registered as they become ready.
    totals.streams = Dictionary(grouping: streams.map(\.totals), by: \.board)
      .sorted { $0.key < $1.key }.flatMap(\.value)
  }

  // MARK: Live view

  private mutating func refreshStatus(isAsked: Bool) {
    guard isAsked || view.age(at: now) >= Self.roundSeconds else { return }
    for position in streams.indices { streams[position].refreshLive() }
    view.show(
      streams, meters, statistics?.statistics(until: now) ?? SessionStatistics(), fix: track.last,
      since: firstSample, at: now)
  }
}
