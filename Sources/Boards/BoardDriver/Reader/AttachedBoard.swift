internal import LinuxSystem
internal import MetaWearProtocol
internal import Recording
internal import RingBuffer
internal import Values

/// The reader's state for one board.
struct AttachedBoard {
  /// Packets after which the next board has its turn: more than a socket holds, even if the
  /// system's limit was raised.
  private static let longestTurn = 4_096
  /// Number of consecutive empty packets that mean the end rather than notifications: after the
  /// end, every receive returns one. No queue is this long.
  private static let emptyEnd = 1_000
  /// Nanoseconds between two drains within which more than one packet is expected.
  private static let burst: Int64 = 500_000
  /// Seconds for which a board counts as in conversation after a packet that is not a sample.
  private static let talkSeconds = 1.0

  let number: UInt16
  let socket: NotifySocket
  let attachment: UInt32
  private var isWatched = false
  private(set) var sorter: PacketSorter
  private(set) var counts = ReaderCounts()
  /// Whether its link has dropped.
  private(set) var isGone = false
  /// Whether its session has not yet learnt of that.
  private var owesHangUp = false
  private var lastArrival = BootTime(nanoseconds: 0)
  /// Time of the last drain of its socket.
  private var lastTurn: BootTime
  /// Time its socket was last found empty, otherwise arrival of the last packet taken. Packets now
  /// in the socket arrived later.
  private var lastEmpty: BootTime
  /// Time of the last packet that is not a sample.
  private var lastAnswer = BootTime(nanoseconds: 0)

  init(_ number: UInt16, _ socket: NotifySocket, attachment: UInt32) {
    self.number = number
    self.attachment = attachment
    self.socket = socket
    lastTurn = socket.openedAt
    lastEmpty = socket.openedAt
    sorter = PacketSorter(board: number, streams: [])
  }

  /// Whether it is being set up or queried, so that every answer is awaited.
  func isInConversation(at now: BootTime) -> Bool {
    sorter.isEmpty || now.seconds(since: lastAnswer) < Self.talkSeconds
  }

  /// Sets whether its packets wake the thread; packets of a board that is gone never do.
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

  /// Takes the packets in its socket and returns their number.
  ///
  /// A thread woken for a packet usually finds just one, which it takes without trying for another;
  /// poll reports any other.
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
          // An empty notification, or the end of the connection.
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
        // The kernel reports an error once, before the queued packets.
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
    // Arrivals of a board never go backwards.
    let arrival = max(lastArrival, clock.arrival(packet.realtimeNanoseconds, since: lastEmpty))
    lastArrival = arrival
    let content = bytes.extracting(packet.place)
    guard !packet.isCut else {
      // Longer than any notification, so it is malformed whatever its first bytes are.
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

  // MARK: Streams and the end

  /// Sorts by these streams from now on; after a `.restarted` or `.rebooted` the board's counters
  /// start again, and `counts` are the board's own from before.
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

  /// Reports to the recorder that these streams pause.
  mutating func restart(_ streams: [Int], at now: BootTime, _ ends: inout ReaderEnds) {
    sorter.restart(streams, at: now, &ends.samples)
  }

  /// Reports to the recorder that these streams have fallen silent.
  mutating func silence(_ streams: [Int], at now: BootTime, _ ends: inout ReaderEnds) {
    sorter.silence(streams, at: now, &ends.samples)
  }

  /// Reports to the recorder that the link dropped or was taken away.
  mutating func loseLink(at now: BootTime, _ ends: inout ReaderEnds) {
    guard !isGone else { return }
    isGone = true
    sorter.leave(at: now, &ends.samples)
  }

  /// Also for a link whose end the session has not seen: reports the end to the session too.
  private mutating func leave(at now: BootTime, _ ends: inout ReaderEnds) {
    loseLink(at: now, &ends)
    owesHangUp = true
    payHangUp(&ends)
  }

  /// Reports a hang-up to the session; retried while the ring is full, so that it is never lost.
  mutating func payHangUp(_ ends: inout ReaderEnds) {
    guard owesHangUp else { return }
    owesHangUp = !ends.tell(ControlPacket(hangUpOf: number, attachment: attachment))
  }
}
