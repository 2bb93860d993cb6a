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
  let socket: NotifySocket
  var sorter: PacketSorter
  var counts = ReaderCounts()
  var lastArrival = BootTime(nanoseconds: 0)
  var isGone = false
  var owesHangUp = false

  init(_ number: UInt16, _ socket: NotifySocket) {
    self.number = number
    self.socket = socket
    sorter = PacketSorter(board: number, streams: [])
  }
}

/// The body of the reader thread. Between poll and poll it neither allocates, locks, logs nor waits.
struct ReaderLoop: ~Copyable {
  /// More packets than a socket holds by default (some 280).
  private static let longestQueue = 1_000
  /// Seconds a board's end waits for room in the ring, as long as the slowest sync may take.
  private static let patience = 20.0
  /// Seconds for which the offset of the clocks is believed: a clock that is slewed runs off by half a
  /// millisecond a second at most.
  private static let offsetSeconds = 1.0
  /// Seconds by which a stamp may lie outside its round.
  private static let clockTolerance = 0.001

  private let mailbox: Mailbox<ReaderRequest>
  private var ends: ReaderEnds
  private var boards: [AttachedBoard] = []
  private var polls = PollSet()
  /// Real minus boot time, when it was measured, and whether a stamp has spoken against it since.
  private var clockOffset: Int64 = 0
  private var offsetMeasured = BootTime(nanoseconds: 0)
  private var isOffsetDoubtful = true
  /// The window a packet's stamp must lie in; set once a round.
  private var previousRound = BootClock.now()
  private var now = BootClock.now()
  /// What had been pushed when the recorder was last woken.
  private var announced = 0
  /// Whether this round pushed into the ring to the sessions.
  private var hasControl = false
  private var isRunning = true

  init(_ mailbox: Mailbox<ReaderRequest>, _ ends: consuming ReaderEnds) {
    self.mailbox = mailbox
    self.ends = ends
  }

  mutating func run() {
    // Larger than any ATT value, so that no packet is cut.
    var buffer = [UInt8](repeating: 0, count: 1_024)
    while isRunning {
      polls.removeAll()
      polls.add(mailbox.bell.number)
      // Poll skips negative numbers: a board that is gone stays in the list until it is detached.
      for board in boards { polls.add(board.isGone ? -1 : board.socket.number) }
      polls.wait(seconds: nil)
      if polls.isReadable(0) {
        // Before any packet: a stream is routed before its sensor starts, so whoever has samples
        // to send has been announced by now.
        serveRequests(&buffer)
        continue
      }
      startRound()
      for index in boards.indices {
        if polls.isReadable(index + 1) { drain(index, &buffer) }
        if polls.isHungUp(index + 1) {
          // What arrived before the end comes first.
          drain(index, &buffer)
          leave(index)
        }
      }
      endRound()
    }
  }

  /// Reads the clock once; the offset between the two clocks, which takes more, is measured now and
  /// then.
  private mutating func startRound() {
    previousRound = now
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
    if ends.samples.total != announced { ends.samplesBell.ring() }
    if hasControl { ends.controlBell.ring() }
    announced = ends.samples.total
    hasControl = false
  }

  // MARK: Packets

  private mutating func drain(_ index: Int, _ buffer: inout [UInt8]) {
    var empties = 0
    while empties < Self.longestQueue {
      switch boards[index].socket.receive(into: &buffer) {
      case .packet(let count, let stamp):
        boards[index].counts.notifications += 1
        sort(buffer.span.extracting(first: count), of: index, arrival: arrival(stamp, of: index))
      case .empty:
        // An empty notification, or the end, which repeats itself for longer than a queue can be.
        empties += 1
      case .drained:
        return
      case .broken:
        leave(index)
        return
      }
    }
  }

  /// The kernel's stamp of a board's packet on the boot clock, never before that of the packet
  /// before it.
  ///
  /// A stamp outside the round comes from a clock that was set since the offset was measured, and the
  /// round's own time is nearer to the truth. The tolerance covers what the offset is measured with.
  private mutating func arrival(_ realtime: Int64, of index: Int) -> BootTime {
    let mapped = BootTime(nanoseconds: realtime - clockOffset)
    let isPlausible =
      realtime != 0 && previousRound.advanced(bySeconds: -Self.clockTolerance) <= mapped
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
      if packet.count > Command.maximumLength {
        tell(ControlPacket(.malformed, board: boards[index].number, packet))
      }
    case .malformed:
      tell(ControlPacket(.malformed, board: boards[index].number, packet))
    case .other:
      tell(ControlPacket(.packet, board: boards[index].number, packet))
    }
  }

  private mutating func tell(_ packet: ControlPacket) {
    hasControl = ends.control.push(packet) || hasControl
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
      guard ends.control.push(ControlPacket(hangUpOf: boards[index].number)) else { return }
      boards[index].owesHangUp = false
      hasControl = true
    }
  }

  private mutating func serveRequests(_ buffer: inout [UInt8]) {
    for request in mailbox.takeAll() {
      switch request {
      case .attach(let board, let socket):
        boards.append(AttachedBoard(board, socket))
      case .route(let board, let streams, let isRestart):
        guard let index = boards.firstIndex(where: { $0.number == board }) else { continue }
        settleOverflow(index)
        boards[index].sorter = PacketSorter(
          board: board,
          streams: streams.map { StreamDecoder($0.setup.samples, layout: $0.layout) })
        if isRestart { boards[index].sorter.restart(at: BootClock.now(), &ends.samples) }
      case .restart(let board, let streams):
        guard let index = boards.firstIndex(where: { $0.number == board }) else { continue }
        boards[index].sorter.restart(streams, at: BootClock.now(), &ends.samples)
      case .observe(let board, let reply):
        let index = boards.firstIndex { $0.number == board }
        reply.give(index.map { boards[$0].sorter.packets } ?? [])
      case .detach(let board, let isEnd, let reply):
        reply.give(detach(board, isEnd: isEnd, &buffer))
      case .stop:
        isRunning = false
      }
    }
  }

  /// Tells what the ring had no room for, before the board and its counts go.
  private mutating func settleOverflow(_ index: Int) {
    // The last round may be long ago.
    let deadline = BootClock.now().advanced(bySeconds: Self.patience)
    while !boards[index].sorter.settle(at: now, &ends.samples), BootClock.now() < deadline {
      ends.samplesBell.ring()
      var pause = PollSet()
      pause.wait(seconds: 0.01)
    }
  }

  private mutating func detach(
    _ board: UInt16, isEnd: Bool, _ buffer: inout [UInt8]
  ) -> ReaderCounts {
    guard let index = boards.firstIndex(where: { $0.number == board }) else {
      return ReaderCounts()
    }
    startRound()
    drain(index, &buffer)
    if !isEnd, !boards[index].isGone { boards[index].sorter.leave(at: now, &ends.samples) }
    settleOverflow(index)
    endRound()
    return boards.remove(at: index).counts
  }
}
