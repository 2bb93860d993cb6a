internal import LinuxSystem
internal import MetaWearProtocol
internal import Recording
internal import RingBuffer
internal import Values

/// The state that the reader maintains for one board.
struct AttachedBoard {
  /// Maximum number of packets read from one board before the reader moves on to the next. A socket
  /// cannot queue that many, even with a raised system limit.
  private static let longestTurn = 4_096
  /// Number of consecutive empty packets after which the connection is considered closed. On a
  /// closed connection, every receive returns an empty packet. No socket can queue this many empty
  /// notifications.
  private static let emptyEnd = 1_000
  /// If the reader wakes within this many nanoseconds of last emptying the board's socket, it
  /// expects more than one packet.
  private static let burst: Int64 = 500_000
  /// For this many seconds after a board sends a packet that is not a sample, every packet from the
  /// board wakes the reader.
  private static let talkSeconds = 1.0

  let number: UInt16
  let socket: NotifySocket
  let attachment: UInt32
  private var isWatched = false
  private(set) var sorter: PacketSorter
  private(set) var counts = ReaderCounts()
  /// Whether the board's link has dropped.
  private(set) var isGone = false
  /// Whether the hang-up must still be reported to the board's session.
  private var owesHangUp = false
  private var lastArrival = BootTime(nanoseconds: 0)
  /// Time when the board's socket was last drained.
  private var lastTurn: BootTime
  /// Time when the socket was last found empty, or the arrival time of the last packet read if more
  /// packets were left. Packets still in the socket arrived after this time.
  private var lastEmpty: BootTime
  /// Time when the board last sent a packet that is not a sample.
  private var lastAnswer = BootTime(nanoseconds: 0)

  init(_ number: UInt16, _ socket: NotifySocket, attachment: UInt32) {
    self.number = number
    self.attachment = attachment
    self.socket = socket
    lastTurn = socket.openedAt
    lastEmpty = socket.openedAt
    sorter = PacketSorter(board: number, streams: [])
  }

  /// Whether the board is being set up or queried. If so, the reader must handle every response
  /// immediately.
  func isInConversation(at now: BootTime) -> Bool {
    sorter.isEmpty || now.seconds(since: lastAnswer) < Self.talkSeconds
  }

  /// Sets whether the board's packets wake the thread. A disconnected board's packets never do.
  mutating func watch(_ isAwaited: Bool, _ watched: inout WatchList) {
    let isAwaited = isAwaited && !isGone
    guard isAwaited != isWatched else { return }
    isWatched = isAwaited
    if isAwaited {
      watched.add(socket.number, as: UInt64(attachment))
    } else {
      watched.remove(socket.number)
    }
  }

  // MARK: Packets

  /// Reads the packets from the board's socket and returns their number.
  ///
  /// A thread woken for a packet usually finds just one, so it reads that packet and does not check
  /// for another. The next poll reports any further packets.
  mutating func drain(
    _ batch: inout PacketBatch, _ clock: inout StampClock, _ ends: inout ReaderEnds,
    isWoken: Bool = false
  ) -> Int {
    guard !isGone else { return 0 }
    let isAlone = isWoken && clock.now.nanoseconds - lastTurn.nanoseconds > Self.burst
    let most = isAlone ? 1 : PacketBatch.capacity
    var waiting = 0
    var empties = 0
    var failures = 0
    while waiting < Self.longestTurn {
      switch batch.receive(most, from: socket.number) {
      case .packets(let count):
        clock.take(before: BootClock.pair())
        for slot in 0..<count {
          let packet = batch[slot]
          // An empty packet is either an empty notification or the end of the connection.
          empties = packet.place.isEmpty ? empties + 1 : 0
          if !packet.place.isEmpty { take(packet, batch.bytes.span, &clock, &ends) }
        }
        waiting += count
        if empties >= Self.emptyEnd {
          leave(at: clock.now, &ends)
          return waiting
        }
        if isAlone || count < most {
          return endTurn(waiting, isEmpty: count < most, at: clock.now)
        }
      case .drained:
        return endTurn(waiting, isEmpty: true, at: clock.now)
      case .failed:
        // The kernel reports an error once, before it delivers the queued packets. Only a second
        // error means that the connection is closed.
        failures += 1
        if failures > 1 {
          leave(at: clock.now, &ends)
          return waiting
        }
      }
    }
    return endTurn(waiting, isEmpty: false, at: clock.now)
  }

  private mutating func endTurn(_ waiting: Int, isEmpty: Bool, at now: BootTime) -> Int {
    lastTurn = now
    lastEmpty = isEmpty ? now : lastArrival
    counts.mostWaiting = max(counts.mostWaiting, waiting)
    return waiting
  }

  @inline(__always)
  private mutating func take(
    _ packet: PacketBatch.Packet, _ bytes: borrowing Span<UInt8>, _ clock: inout StampClock,
    _ ends: inout ReaderEnds
  ) {
    counts.notifications += 1
    // A board's arrival times never go backwards.
    let arrival = max(lastArrival, clock.arrival(packet.realtimeNanoseconds, since: lastEmpty))
    lastArrival = arrival
    let content = bytes.extracting(packet.place)
    guard !packet.isCut else {
      // The packet exceeds the limit for notifications, so it is malformed regardless of its first
      // bytes.
      tell(.malformed, content, &ends)
      return
    }
    switch sorter.sort(content, arrival: arrival, into: &ends.samples) {
    case .samples:
      counts.decoded += 1
      if content.count > Command.maximumLength { tell(.malformed, content, &ends) }
    case .malformed:
      tell(.malformed, content, &ends)
    case .other:
      if sorter.sortTally(content, arrival: arrival, into: &ends.samples) { return }
      lastAnswer = clock.now
      tell(.packet, content, &ends)
    }
  }

  private func tell(
    _ kind: ControlPacket.Kind, _ packet: Span<UInt8>, _ ends: inout ReaderEnds
  ) {
    ends.tell(ControlPacket(kind, board: number, attachment: attachment, packet))
  }

  // MARK: Streams and disconnection

  /// Sets the streams into which the board's packets are sorted. After `.restarted` or `.rebooted`,
  /// the board's counters start again. `counts` contains the board's own sample counts from before
  /// the restart.
  mutating func route(
    _ streams: [BoardStream], restart: Reading.Kind?, _ counts: [UInt32?], at now: BootTime,
    _ ends: inout ReaderEnds
  ) {
    var next = PacketSorter(
      board: number,
      streams: streams.map { StreamDecoder($0.setup.samples, layout: $0.layout) },
      counters: streams.map(\.counter))
    next.takeOver(from: sorter)
    if let restart { next.restart(restart, counts, at: now, &ends.samples) }
    sorter = next
  }

  /// Reports to the recorder that these streams were paused and have resumed.
  mutating func restart(_ streams: [Int], at now: BootTime, _ ends: inout ReaderEnds) {
    sorter.restart(streams, at: now, &ends.samples)
  }

  /// Reports to the recorder that these streams have fallen silent.
  mutating func silence(_ streams: [Int], at now: BootTime, _ ends: inout ReaderEnds) {
    sorter.silence(streams, at: now, &ends.samples)
  }

  /// Reports to the recorder that the link dropped or was closed.
  mutating func loseLink(at now: BootTime, _ ends: inout ReaderEnds) {
    guard !isGone else { return }
    isGone = true
    sorter.leave(at: now, &ends.samples)
  }

  /// Marks the board as disconnected and reports the hang-up to its session, which may not have
  /// noticed that the link dropped.
  private mutating func leave(at now: BootTime, _ ends: inout ReaderEnds) {
    loseLink(at: now, &ends)
    owesHangUp = true
    payHangUp(&ends)
  }

  /// Reports a pending hang-up to the session. If the ring is full, a later call retries, so the
  /// session always learns of the hang-up.
  mutating func payHangUp(_ ends: inout ReaderEnds) {
    guard owesHangUp else { return }
    owesHangUp = !ends.tell(ControlPacket(hangUpOf: number, attachment: attachment))
  }
}
