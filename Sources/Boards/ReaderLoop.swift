internal import LinuxSystem
internal import MetaWearProtocol
internal import Recording
internal import RingBuffer

/// The ends and bells the reader thread owns.
struct ReaderEnds: ~Copyable, Sendable {
  var samples: RingProducer<Reading>
  let samplesBell: WakeUp
  var control: RingProducer<ControlPacket>
  let controlBell: WakeUp
}

/// One board as the reader sees it.
private struct AttachedBoard {
  let number: UInt16
  let attachment: UInt32
  let socket: NotifySocket
  var sorter: PacketSorter
  var counts = ReaderCounts()
  var lastArrival = BootTime(nanoseconds: 0)
  /// When its socket was drained before: what is found in it now came later.
  var lastDrain: BootTime
  /// When something came that was no sample.
  var lastAnswer = BootTime(nanoseconds: 0)
  var isGone = false
  var owesHangUp = false

  init(_ number: UInt16, _ socket: NotifySocket, attachment: UInt32) {
    self.number = number
    self.attachment = attachment
    self.socket = socket
    lastDrain = socket.openedAt
    sorter = PacketSorter(board: number, streams: [])
  }
}

/// A board that was detached while the ring had no room for what it owes.
private struct LeavingBoard {
  var sorter: PacketSorter
  let counts: ReaderCounts
  let deadline: BootTime
  let reply: Reply<ReaderCounts>
}

/// The body of the reader thread. Between poll and poll it neither allocates, locks, logs nor waits,
/// but for what it is asked to do.
struct ReaderLoop: ~Copyable {
  /// More packets than a socket holds, also where the system's limit was raised: at so many the next
  /// board has its turn.
  private static let longestTurn = 4_096
  /// Empty packets in a row that are no notifications but the end, which repeats itself for as long as
  /// it is asked. No queue is so long.
  private static let emptyEnd = 1_000
  /// Seconds for which a board's packets are awaited one by one after something came from it that was
  /// no sample: somebody is talking to it.
  private static let talkSeconds = 1.0
  /// Seconds a board's end waits for room in the ring, as long as the slowest sync may take.
  private static let patience = 20.0
  /// Seconds after which it is seen whether there is room.
  private static let settleSeconds = 0.01
  /// Seconds for which the offset of the clocks is believed: a clock that is slewed runs off by half a
  /// millisecond a second at most.
  private static let offsetSeconds = 1.0
  /// Seconds by which a stamp may lie outside its round.
  private static let clockTolerance = 0.001

  private let mailbox: Mailbox<ReaderRequest>
  private var ends: ReaderEnds
  private var boards: [AttachedBoard] = []
  private var leaving: [LeavingBoard] = []
  private var polls = PollSet()
  private var pace: ReaderPace
  private var recorderCall: RecorderCall
  /// Real minus boot time, when it was measured, and whether a stamp has spoken against it since.
  private var clockOffset: Int64 = 0
  private var offsetMeasured = BootTime(nanoseconds: 0)
  private var isOffsetDoubtful = true
  /// Read once a round.
  private var now = BootClock.now()
  /// When all sockets were last drained on the tick.
  private var lastTick = BootClock.now()
  /// What this round took: packets in all, and the most from one board.
  private var taken = 0
  private var mostTaken = 0
  /// Whether this round pushed into the ring to the sessions.
  private var hasControl = false
  private(set) var isRunning = true

  init(
    _ mailbox: Mailbox<ReaderRequest>, _ ends: consuming ReaderEnds, _ pace: ReaderPace
  ) {
    self.mailbox = mailbox
    recorderCall = RecorderCall(capacity: ends.samples.capacity)
    self.ends = ends
    self.pace = pace
  }

  mutating func run() {
    var batch = PacketBatch()
    while isRunning { round(&batch) }
    for board in leaving { board.reply.give(board.counts) }
    for request in mailbox.shut() { refuse(request) }
  }

  /// Waits until there is something to do, and does it.
  mutating func round(_ batch: inout PacketBatch) {
    wait()
    startRound()
    if polls.isReadable(0) {
      // Before any packet: a stream is routed before its sensor starts, so whoever has samples
      // to send has been announced by now.
      serveRequests(&batch)
    } else {
      drainBoards(&batch)
      pace.note(packets: taken, most: mostTaken, at: now)
    }
    endRound()
  }

  /// Sleeps until a request, a packet that is awaited, or the tick.
  private mutating func wait() {
    polls.removeAll()
    polls.add(mailbox.bell.number)
    for board in boards { polls.add(isAwaited(board) ? board.socket.number : PollSet.nobody) }
    var seconds = pace.tick.map { max(0, $0 - now.seconds(since: lastTick)) }
    if !leaving.isEmpty { seconds = min(seconds ?? Self.settleSeconds, Self.settleSeconds) }
    polls.wait(seconds: seconds)
  }

  /// Whether a packet of a board wakes the reader: on the tick that is so only while a board is being
  /// set up or spoken to, since every answer waits for the one before it.
  private func isAwaited(_ board: AttachedBoard) -> Bool {
    guard !board.isGone else { return false }
    return pace.tick == nil || board.sorter.isEmpty
      || now.seconds(since: board.lastAnswer) < Self.talkSeconds
  }

  private mutating func drainBoards(_ batch: inout PacketBatch) {
    // The wait may end a little before the tick.
    let isTick = pace.tick.map { now.seconds(since: lastTick) + 0.0005 >= $0 } ?? false
    if isTick { lastTick = now }
    for index in boards.indices where isTick || polls.isReady(index + 1) {
      drain(index, &batch)
    }
  }

  /// Reads the clock once; the offset between the two clocks, which takes more, is measured now and
  /// then.
  private mutating func startRound() {
    taken = 0
    mostTaken = 0
    now = BootClock.now()
    guard isOffsetDoubtful || now.seconds(since: offsetMeasured) > Self.offsetSeconds else {
      return
    }
    let pair = BootClock.pair()
    now = pair.boot
    clockOffset = pair.utc.nanoseconds - pair.boot.nanoseconds
    offsetMeasured = now
    isOffsetDoubtful = false
  }

  private mutating func endRound() {
    payHangUps()
    if !leaving.isEmpty { settleLeaving() }
    if recorderCall.isDue(total: ends.samples.total, at: now) { ends.samplesBell.ring() }
    if hasControl { ends.controlBell.ring() }
    hasControl = false
  }

  // MARK: Packets

  private mutating func drain(_ index: Int, _ batch: inout PacketBatch) {
    guard !boards[index].isGone else { return }
    var waiting = 0
    var empties = 0
    var failures = 0
    while waiting < Self.longestTurn {
      switch batch.receive(from: boards[index].socket) {
      case .packets(let count):
        for slot in 0..<count {
          let packet = batch[slot]
          // An empty notification, or the end.
          empties = packet.place.isEmpty ? empties + 1 : 0
          if !packet.place.isEmpty { take(packet, batch.bytes.span, of: index) }
        }
        waiting += count
        guard empties < Self.emptyEnd else { return leave(index) }
        guard count == PacketBatch.capacity else { return finishDrain(index, waiting) }
      case .drained:
        return finishDrain(index, waiting)
      case .failed:
        // The kernel tells an error once, before what was queued.
        failures += 1
        guard failures == 1 else { return leave(index) }
      }
    }
    finishDrain(index, waiting)
  }

  private mutating func finishDrain(_ index: Int, _ waiting: Int) {
    boards[index].lastDrain = now
    boards[index].counts.mostWaiting = max(boards[index].counts.mostWaiting, waiting)
    taken += waiting
    mostTaken = max(mostTaken, waiting)
  }

  @inline(__always)
  private mutating func take(
    _ packet: PacketBatch.Packet, _ bytes: borrowing Span<UInt8>, of index: Int
  ) {
    boards[index].counts.notifications += 1
    let arrival = arrival(packet.realtimeNanoseconds, of: index)
    let content = bytes.extracting(packet.place)
    if packet.isCut {
      // Longer than any value, so it is none, whatever it begins with.
      tell(.malformed, content, of: index)
    } else {
      sort(content, of: index, arrival: arrival)
    }
  }

  /// The kernel's stamp of a board's packet on the boot clock, never before that of the packet
  /// before it.
  ///
  /// A stamp outside the time since the last drain comes from a clock that was set since the offset
  /// was measured, and the round's own time is nearer to the truth. The tolerance covers what the offset
  /// is measured with, and packets that come while the socket is drained.
  private mutating func arrival(_ realtime: Int64, of index: Int) -> BootTime {
    let mapped = BootTime(nanoseconds: realtime - clockOffset)
    let isPlausible =
      realtime != 0
      && boards[index].lastDrain.advanced(bySeconds: -Self.clockTolerance) <= mapped
      && mapped <= now.advanced(bySeconds: Self.clockTolerance)
    if realtime != 0, !isPlausible { isOffsetDoubtful = true }
    let arrival = max(boards[index].lastArrival, isPlausible ? min(mapped, now) : now)
    boards[index].lastArrival = arrival
    return arrival
  }

  private mutating func sort(_ packet: Span<UInt8>, of index: Int, arrival: BootTime) {
    switch boards[index].sorter.sort(packet, arrival: arrival, into: &ends.samples) {
    case .samples:
      boards[index].counts.decoded += 1
      if packet.count > Command.maximumLength { tell(.malformed, packet, of: index) }
    case .malformed:
      tell(.malformed, packet, of: index)
    case .other:
      boards[index].lastAnswer = now
      tell(.packet, packet, of: index)
    }
  }

  private mutating func tell(_ kind: ControlPacket.Kind, _ packet: Span<UInt8>, of index: Int) {
    let isPushed = ends.control.push(
      ControlPacket(
        kind, board: boards[index].number, attachment: boards[index].attachment, packet))
    hasControl = isPushed || hasControl
  }

  // MARK: Boards

  /// Tells both sides that a board's link is gone.
  private mutating func leave(_ index: Int) {
    guard !boards[index].isGone else { return }
    boards[index].isGone = true
    boards[index].sorter.leave(at: now, &ends.samples)
    boards[index].owesHangUp = true
    payHangUps()
  }

  /// Tells the sessions of hang-ups, which must not be lost to a full ring.
  private mutating func payHangUps() {
    for index in boards.indices where boards[index].owesHangUp {
      let hangUp = ControlPacket(
        hangUpOf: boards[index].number, attachment: boards[index].attachment)
      guard ends.control.push(hangUp) else { return }
      boards[index].owesHangUp = false
      hasControl = true
    }
  }

  private mutating func serveRequests(_ batch: inout PacketBatch) {
    for request in mailbox.takeAll() {
      switch request {
      case .attach(let board, let socket, let attachment):
        boards.append(AttachedBoard(board, socket, attachment: attachment))
      case .route(let board, let streams, let isRestart):
        guard let index = boards.firstIndex(where: { $0.number == board }) else { continue }
        var sorter = PacketSorter(
          board: board,
          streams: streams.map { StreamDecoder($0.setup.samples, layout: $0.layout) })
        sorter.takeOver(from: boards[index].sorter)
        if isRestart { sorter.restart(at: now, &ends.samples) }
        boards[index].sorter = sorter
      case .restart(let board, let streams):
        guard let index = boards.firstIndex(where: { $0.number == board }) else { continue }
        boards[index].sorter.restart(streams, at: now, &ends.samples)
      case .observe(let board, let reply):
        let index = boards.firstIndex { $0.number == board }
        reply.give(index.map { boards[$0].sorter.packets } ?? [])
      case .detach(let board, let isEnd, let reply):
        detach(board, isEnd: isEnd, reply, &batch)
      case .stop:
        isRunning = false
      }
    }
  }

  /// Answers a request that came too late.
  private func refuse(_ request: ReaderRequest) {
    switch request {
    case .observe(_, let reply): reply.give([])
    case .detach(_, _, let reply): reply.give(ReaderCounts())
    case .attach, .route, .restart, .stop: break
    }
  }

  /// Takes a board's last packets and lets go of it. Where the ring has no room for what it owes, it is
  /// settled in later rounds: the other boards must not wait for it.
  private mutating func detach(
    _ board: UInt16, isEnd: Bool, _ reply: Reply<ReaderCounts>, _ batch: inout PacketBatch
  ) {
    guard let index = boards.firstIndex(where: { $0.number == board }) else {
      reply.give(ReaderCounts())
      return
    }
    drain(index, &batch)
    if !isEnd, !boards[index].isGone { boards[index].sorter.leave(at: now, &ends.samples) }
    let left = boards.remove(at: index)
    leaving.append(
      LeavingBoard(
        sorter: left.sorter, counts: left.counts,
        deadline: now.advanced(bySeconds: Self.patience), reply: reply))
  }

  /// Answers for the boards whose samples, and what became of them, are all in the ring.
  private mutating func settleLeaving() {
    for index in leaving.indices.reversed() {
      let isSettled = leaving[index].sorter.settle(at: now, &ends.samples)
      guard isSettled || now >= leaving[index].deadline else { continue }
      leaving[index].reply.give(leaving[index].counts)
      leaving.remove(at: index)
    }
    // Who makes room may be asleep.
    if !leaving.isEmpty { ends.samplesBell.ring() }
  }
}
