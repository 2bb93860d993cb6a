internal import LinuxSystem
internal import Recording
internal import RingBuffer
internal import Values

/// The producer ends of the reader thread's two rings, the bells that wake the rings' consumers,
/// and the descriptors that wake the thread.
struct ReaderEnds: ~Copyable, Sendable {
  var samples: RingProducer<Reading>
  let samplesBell: WakeUp
  var control: RingProducer<ControlPacket>
  let controlBell: WakeUp
  var watched: WatchList
  /// Whether any packet has been pushed into the sessions' ring in this round.
  private var hasControl = false

  init(
    samples: consuming RingProducer<Reading>, samplesBell: WakeUp,
    control: consuming RingProducer<ControlPacket>, controlBell: WakeUp,
    watched: consuming WatchList
  ) {
    self.samples = samples
    self.samplesBell = samplesBell
    self.control = control
    self.controlBell = controlBell
    self.watched = watched
  }

  /// Pushes a packet into the sessions' ring. Returns `false` if the ring is full.
  @discardableResult
  mutating func tell(_ packet: ControlPacket) -> Bool {
    let isPushed = control.push(packet)
    hasControl = isPushed || hasControl
    return isPushed
  }

  /// Rings the bell that wakes the sessions, at most once per round of the thread.
  mutating func announceControl() {
    if hasControl { controlBell.ring() }
    hasControl = false
  }
}

/// A detached board whose pending reports have not yet been pushed into the ring.
private struct LeavingBoard {
  var sorter: PacketSorter
  let counts: ReaderCounts
  let deadline: BootTime
  let reply: Reply<ReaderCounts>
}

/// A request to count a board's packets at a given time.
private struct Observation {
  let board: UInt16
  let due: BootTime
  let reply: Reply<[UInt64]>
}

/// The body of the reader thread. Between two polls, the loop does not allocate, lock, log or wait,
/// except to serve a request.
struct ReaderLoop: ThreadLoop, ~Copyable {
  /// Maximum time, in seconds, that a detached board waits for space in the ring. Equals the
  /// duration of the longest expected disk sync.
  private static let patience = 20.0
  /// Seconds between checks for space in the ring.
  private static let settleSeconds = 0.01
  /// The number that identifies the request mailbox in the watch list. The boards' attachment
  /// numbers start at 1.
  private static let requests: UInt64 = 0

  private let mailbox: Mailbox<ReaderRequest>
  private var ends: ReaderEnds
  private var boards: [AttachedBoard] = []
  private var leaving: [LeavingBoard] = []
  private var observations: [Observation] = []
  private var pace: ReaderPace
  private var recorderCall: RecorderCall
  private var clock = StampClock(at: BootClock.pair())
  /// Time of the last tick that drained all sockets.
  private var lastTick = BootClock.now()
  private var batch = PacketBatch()
  private var isRunning = true

  init(
    _ mailbox: Mailbox<ReaderRequest>, _ ends: consuming ReaderEnds, _ pace: ReaderPace
  ) {
    self.mailbox = mailbox
    recorderCall = RecorderCall(capacity: ends.samples.capacity)
    self.ends = ends
    self.pace = pace
    self.ends.watched.add(mailbox.bell.number, as: Self.requests)
  }

  consuming func end() {
    for board in leaving { board.reply.give(board.counts) }
    for observation in observations { observation.reply.give([]) }
    for request in mailbox.shut() { Self.refuse(request) }
  }

  mutating func wait(seconds: Double) -> Bool { ends.watched.wait(seconds: seconds) }

  mutating func round() {
    clock.startRound(at: BootClock.now())
    if (0..<ends.watched.count).contains(where: { ends.watched.name(at: $0) == Self.requests }) {
      // Requests are handled before packets. A stream is routed before its sensor starts, so every
      // board that sends samples is already attached.
      serveRequests()
    } else {
      // The wait may end slightly before the tick is due, so a round that is up to 0.5 ms early
      // counts as a tick.
      drainBoards(
        onTick: pace.tick.map { clock.now.seconds(since: lastTick) + 0.0005 >= $0 } ?? false)
    }
    if !observations.isEmpty { giveCounts() }
    endRound()
  }

  /// Returns the seconds until the next round is due, or `nil` once the loop must end.
  ///
  /// While the loop ticks, packets wake it early only if their board is being set up or queried.
  /// Each request to such a board waits for the previous response.
  mutating func pause() -> Double? {
    guard isRunning else { return nil }
    for index in boards.indices {
      let isAwaited = pace.tick == nil || boards[index].isInConversation(at: clock.now)
      boards[index].watch(isAwaited, &ends.watched)
    }
    let seconds = pace.tick.map { max(0, $0 - clock.now.seconds(since: lastTick)) } ?? untilDue()
    return leaving.isEmpty ? seconds : min(seconds, Self.settleSeconds)
  }

  /// On a tick, reads packets from all boards. Otherwise, reads packets from the boards that woke
  /// the loop.
  private mutating func drainBoards(onTick isTick: Bool) {
    if isTick { lastTick = clock.now }
    var packets = 0
    var most = 0
    for place in 0..<(isTick ? boards.count : ends.watched.count) {
      guard let index = isTick ? place : board(ready: place) else { continue }
      let taken = boards[index].drain(&batch, &clock, &ends, isWoken: !isTick)
      packets += taken
      most = max(most, taken)
    }
    pace.note(packets: packets, most: most, at: clock.now)
  }

  // MARK: Counts

  /// Returns the seconds until the next packet counts are due, for a loop that does not tick.
  private func untilDue() -> Double {
    let due = observations.map(\.due).min()
    return due.map { max(0, $0.seconds(since: clock.now)) } ?? .infinity
  }

  /// Replies to each packet-count request that is due within the next half tick. First reads the
  /// packets still in the sockets, so that a board with unread packets does not appear silent.
  private mutating func giveCounts() {
    let latest = clock.now.advanced(bySeconds: (pace.tick ?? 0) / 2)
    guard observations.contains(where: { $0.due <= latest }) else { return }
    if pace.tick != nil, lastTick != clock.now { drainBoards(onTick: true) }
    for place in observations.indices.reversed() where observations[place].due <= latest {
      let observation = observations.remove(at: place)
      observation.reply.give(
        position(of: observation.board).map { boards[$0].sorter.packets } ?? [])
    }
  }

  /// Returns the index of the board whose socket is ready, given its place in the watch list.
  private func board(ready place: Int) -> Int? {
    let name = ends.watched.name(at: place)
    return boards.firstIndex { UInt64($0.attachment) == name }
  }

  private mutating func endRound() {
    for index in boards.indices { boards[index].payHangUp(&ends) }
    if !leaving.isEmpty { settleLeaving() }
    if recorderCall.isDue(total: ends.samples.total, at: clock.now) { ends.samplesBell.ring() }
    ends.announceControl()
  }

  // MARK: Requests

  private mutating func serveRequests() {
    for request in mailbox.takeAll() {
      switch request {
      case .attach(let board, let socket, let attachment):
        boards.append(AttachedBoard(board, socket, attachment: attachment))
      case .route(let board, let streams, let restart, let counts):
        guard let index = position(of: board) else { continue }
        boards[index].route(streams, restart: restart, counts, at: clock.now, &ends)
      case .restart(let board, let streams):
        guard let index = position(of: board) else { continue }
        boards[index].restart(streams, at: clock.now, &ends)
      case .silence(let board, let streams):
        guard let index = position(of: board) else { continue }
        boards[index].silence(streams, at: clock.now, &ends)
      case .observe(let board, let seconds, let reply):
        observations.append(
          Observation(board: board, due: clock.now.advanced(bySeconds: seconds), reply: reply))
      case .follow(let isFollowed):
        recorderCall.isFollowed = isFollowed
      case .detach(let board, let isEnd, let reply):
        detach(board, isEnd: isEnd, reply)
      case .stop:
        isRunning = false
      }
    }
  }

  private func position(of board: UInt16) -> Int? {
    boards.firstIndex { $0.number == board }
  }

  /// Replies to a request that arrived after the loop ended.
  private static func refuse(_ request: ReaderRequest) {
    switch request {
    case .observe(_, _, let reply): reply.give([])
    case .detach(_, _, let reply): reply.give(ReaderCounts())
    case .attach, .route, .restart, .silence, .follow, .stop: break
    }
  }

  /// Reads a board's last packets and detaches the board. Reports that do not fit into the ring are
  /// pushed in later rounds, so other boards need not wait.
  private mutating func detach(
    _ board: UInt16, isEnd: Bool, _ reply: Reply<ReaderCounts>
  ) {
    guard let index = position(of: board) else {
      reply.give(ReaderCounts())
      return
    }
    _ = boards[index].drain(&batch, &clock, &ends)
    if !isEnd { boards[index].loseLink(at: clock.now, &ends) }
    boards[index].watch(false, &ends.watched)
    for place in observations.indices.reversed() where observations[place].board == board {
      observations.remove(at: place).reply.give(boards[index].sorter.packets)
    }
    let left = boards.remove(at: index)
    leaving.append(
      LeavingBoard(
        sorter: left.sorter, counts: left.counts,
        deadline: clock.now.advanced(bySeconds: Self.patience), reply: reply))
  }

  /// Replies to the detach requests of boards whose pending reports are all in the ring, or whose
  /// deadline has passed.
  private mutating func settleLeaving() {
    for index in leaving.indices.reversed() {
      let isSettled = leaving[index].sorter.settle(at: clock.now, &ends.samples)
      guard isSettled || clock.now >= leaving[index].deadline else { continue }
      leaving[index].reply.give(leaving[index].counts)
      leaving.remove(at: index)
    }
    // The consumer may be asleep, and must be woken to free space in the ring.
    if !leaving.isEmpty { ends.samplesBell.ring() }
  }
}
