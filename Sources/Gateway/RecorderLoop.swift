internal import Boards
internal import LinuxSystem
internal import Recording
internal import RingBuffer
internal import Storage

/// The body of the recorder thread.
struct RecorderLoop: ~Copyable {
  /// Seconds from one look into the rings to the next while readings come. Producers ring only when
  /// their ring fills up: being woken for every packet would cost more than all that is done with it.
  /// The live view is refreshed as often.
  private static let roundSeconds = 0.2
  /// Seconds without readings after which it sleeps until somebody rings, as producers do for what they
  /// push after a quarter of a second without.
  private static let pauseSeconds = 0.3
  /// Seconds after which it looks even then.
  private static let idleSeconds = 1.0
  /// Seconds from one transaction to the next, each of which waits for the disk: what all streams
  /// sealed meanwhile, and the fixes, go into one.
  private static let commitSeconds = 1.0
  /// Seconds after which a chunk is sealed although it is not full.
  private static let sealSeconds = 900.0

  private let mailbox: Mailbox<RecorderThread.Request>
  private let bell: WakeUp
  private let status: StatusBoard
  private let onFirstSample: @Sendable (BootTime) -> Void
  private let onFailure: @Sendable (StoreError) -> Void
  private var ends: RecorderEnds
  private var store: Store?
  /// Who gets the samples when they are not stored.
  private var audience: (@Sendable ([LiveSample]) -> Void)?
  private var session: Session?

  private var streams: [RecordedStream] = []
  /// Position in `streams` of each board's first stream, by the board's number. Looked at for each
  /// reading, for which a dictionary takes too long.
  private var firstStreams: [Int?] = []
  /// Measures the link of each board, at the board's number.
  private var meters: [LinkMeter] = []
  private var live = LiveStatus()
  /// Position in `live.boards` of each board.
  private var liveBoards: [UInt16: Int] = [:]
  private var totals = RecorderTotals()
  private var firstSample: BootTime?

  /// Sealed and not yet stored, with the position of their stream.
  private var sealed: [(stream: Int, chunk: Chunk)] = []
  private var newFixes: [Fix] = []
  private var newEntries: [ClockTable.Entry] = []
  private var clock = ClockSampler()
  /// The fixes since the oldest open chunk began.
  private var recentFixes: [Fix] = []
  private var lastFix: Fix?
  private var lastCommit = BootClock.now()
  private var lastRefresh = BootTime(nanoseconds: 0)
  /// Read once a round.
  private var now = BootClock.now()
  private var lastReading = BootTime(nanoseconds: 0)
  /// Who waits for the end, once somebody does.
  private var finishing: Reply<RecorderTotals>?

  init(
    _ mailbox: Mailbox<RecorderThread.Request>, _ bell: WakeUp, _ status: StatusBoard,
    _ ends: consuming RecorderEnds, onFirstSample: @escaping @Sendable (BootTime) -> Void,
    onFailure: @escaping @Sendable (StoreError) -> Void
  ) {
    self.mailbox = mailbox
    self.bell = bell
    self.status = status
    self.ends = ends
    self.onFirstSample = onFirstSample
    self.onFailure = onFailure
  }

  mutating func run() {
    var polls = PollSet()
    polls.add(bell.number)
    polls.add(mailbox.bell.number)
    while true {
      let isIdle = now.seconds(since: lastReading) > Self.pauseSeconds
      polls.wait(seconds: isIdle ? Self.idleSeconds : Self.roundSeconds)
      now = BootClock.now()
      if polls.isReadable(0) { bell.clear() }
      let isAsked = polls.isReadable(1)
      if isAsked { serveRequests() }
      drainPositions()
      drainReadings()
      sealOverdue()
      commitIfDue()
      refreshStatus(isAsked: isAsked)
      if let finishing {
        finish()
        finishing.give(totals)
        return
      }
    }
  }

  // MARK: Requests

  private mutating func serveRequests() {
    for request in mailbox.takeAll() {
      switch request {
      case .open(let destination, let session, let reply):
        reply.give(open(destination, for: session))
      case .addBoard(let board, let identity, let descriptions):
        add(board, identity, descriptions)
      case .phase(let board, let identity, let phase):
        note(phase, of: board, identity)
      case .finish(let reply):
        finishing = reply
      }
    }
  }

  private mutating func open(
    _ destination: RecordingPlan.Destination, for session: Session
  ) -> StoreError? {
    do throws(StoreError) {
      switch destination {
      case .store(let path): store = try Store(path: path)
      case .live(let audience): self.audience = audience
      }
      self.session = session
      let now = BootClock.pair()
      let source: ClockTable.Source =
        BootClock.isSystemTimeSynchronised ? .synchronised : .system
      newEntries.append(ClockTable.Entry(boot: now.boot, utc: now.utc, source: source))
      return nil
    } catch {
      return error
    }
  }

  private mutating func add(
    _ board: UInt16, _ identity: BoardIdentity, _ descriptions: [StreamDescription]
  ) {
    guard let session else { return }
    do throws(StoreError) {
      // The session begins with its first board: a search that finds nothing leaves none behind.
      if streams.isEmpty { try store?.begin(session) }
      try store?.addBoard(identity, session: session.id)
      for description in descriptions {
        try store?.addStream(description, board: identity.address, session: session.id)
      }
    } catch {
      fail(error)
    }
    while firstStreams.count <= Int(board) { firstStreams.append(nil) }
    firstStreams[Int(board)] = streams.count
    while meters.count <= Int(board) { meters.append(LinkMeter()) }
    for description in descriptions {
      streams.append(RecordedStream(board: board, identity, description, session: session))
    }
    note(.streaming, of: board, identity)
  }

  private mutating func note(
    _ phase: LiveStatus.BoardPhase, of board: UInt16, _ identity: BoardIdentity
  ) {
    if let position = liveBoards[board] {
      live.boards[position].identity = identity
      live.boards[position].phase = phase
    } else {
      liveBoards[board] = live.boards.count
      live.boards.append(LiveStatus.Board(identity: identity, phase: phase))
    }
  }

  // MARK: Rings

  private mutating func drainReadings() {
    var samples: [LiveSample] = []
    let isHeard = audience != nil
    let clock = isHeard ? BootClock.pair() : nil
    while let reading = ends.readings.pop() {
      lastReading = now
      // A board is registered before its sensors start, but maybe after we last looked.
      if firstStream(of: reading.board) == nil { serveRequests() }
      guard let first = firstStream(of: reading.board) else {
        preconditionFailure("a board's streams are registered before its samples are pushed")
      }
      let position = first + Int(reading.stream)
      if reading.kind == .sample, firstSample == nil {
        firstSample = reading.arrival
        onFirstSample(reading.arrival)
      }
      if reading.kind == .sample {
        meters[Int(reading.board)].take(reading.arrival, stream: reading.stream)
      }
      if streams[position].take(reading) {
        let fixes = fixes(since: streams[position].openedAt)
        if let chunk = streams[position].seal(fixes: fixes) { sealed.append((position, chunk)) }
      }
      if isHeard, reading.kind == .sample, let clock, let firstSample {
        samples.append(
          streams[position].sample(reading, firstSample: firstSample, now: clock))
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
      // An epoch without a fix leaves the track as it is: what it means for a sample follows from
      // the age of the fix before it.
      guard case .fix(let fix) = report else { continue }
      newFixes.append(fix)
      recentFixes.append(fix)
      lastFix = fix
      if let entry = clock.observe(fix) { newEntries.append(entry) }
    }
  }

  private func fixes(since start: BootTime?) -> [Fix] {
    guard let start else { return [] }
    return recentFixes.filter { $0.arrival >= start }
  }

  // MARK: Store

  private mutating func sealOverdue() {
    for position in streams.indices {
      guard let opened = streams[position].openedAt,
        now.seconds(since: opened) > Self.sealSeconds
      else { continue }
      if let chunk = streams[position].seal(fixes: fixes(since: opened)) {
        sealed.append((position, chunk))
      }
    }
  }

  private mutating func commitIfDue() {
    guard now.seconds(since: lastCommit) >= Self.commitSeconds else { return }
    guard !sealed.isEmpty || !newFixes.isEmpty else { return }
    commit()
  }

  private mutating func commit() {
    guard !streams.isEmpty else { return }
    guard audience == nil else {
      // They were shown, and nobody keeps them.
      sealed.removeAll()
      newFixes.removeAll()
      newEntries.removeAll()
      recentFixes.removeAll()
      return
    }
    guard totals.failure == nil else {
      for (position, chunk) in sealed { streams[position].refused(chunk) }
      sealed.removeAll()
      newFixes.removeAll()
      return
    }
    lastCommit = now
    do throws(StoreError) {
      try store?.commit(chunks: sealed.map(\.chunk), fixes: newFixes, clock: newEntries)
      for (position, chunk) in sealed { streams[position].confirmed(chunk) }
      totals.fixes += UInt64(newFixes.count)
    } catch {
      for (position, chunk) in sealed { streams[position].refused(chunk) }
      fail(error)
    }
    sealed.removeAll()
    newFixes.removeAll()
    newEntries.removeAll()
    let oldest = streams.compactMap(\.openedAt).min() ?? lastCommit
    recentFixes.removeAll { $0.arrival < oldest }
  }

  private mutating func fail(_ error: StoreError) {
    guard totals.failure == nil else { return }
    totals.failure = error
    onFailure(error)
  }

  private mutating func finish() {
    for position in streams.indices {
      let fixes = fixes(since: streams[position].openedAt)
      if let chunk = streams[position].finish(at: now, fixes: fixes) {
        sealed.append((position, chunk))
      }
    }
    if let entry = clock.take() { newEntries.append(entry) }
    commit()
    do throws(StoreError) {
      if let session, !streams.isEmpty { try store?.end(session: session.id, at: now) }
      var closing: Store? = nil
      swap(&closing, &store)
      try closing?.close()
    } catch {
      fail(error)
    }
    // Boards are registered as they become ready.
    totals.streams = Dictionary(grouping: streams.map(\.totals), by: \.board)
      .sorted { $0.key < $1.key }.flatMap(\.value)
  }

  // MARK: Live view

  private mutating func refreshStatus(isAsked: Bool) {
    guard isAsked || now.seconds(since: lastRefresh) >= Self.roundSeconds else { return }
    lastRefresh = now
    live.elapsed = firstSample.map { max(0, now.seconds(since: $0)) } ?? 0
    for position in streams.indices { streams[position].refreshLive() }
    for (board, position) in liveBoards {
      guard firstStream(of: board) != nil else { continue }
      live.boards[position].link = meters[Int(board)].latest
      live.boards[position].streams = streams.filter { $0.totals.board == board }.map(\.live)
    }
    live.fix = lastFix
    live.fixAge = lastFix.map { now.seconds(since: $0.arrival) }
    status.show(live)
  }
}
