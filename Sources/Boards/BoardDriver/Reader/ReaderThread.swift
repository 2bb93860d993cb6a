public import LinuxSystem
public import Recording
public import RingBuffer

/// The thread that reads every board's notifications: receive, stamp, decode, push.
///
/// It blocks only in poll: for each packet while few arrive, otherwise on a tick that lets them
/// gather. Samples go into the ring to the recorder, everything else into a second ring to the
/// sessions.
public final class ReaderThread: Sendable {
  private let mailbox: Mailbox<ReaderRequest>
  private let control: ControlChannel
  private let thread: NamedThread

  /// Samples that the ring to the recorder holds, per reader thread: 2¹⁶.
  ///
  /// A worn card may take 20 s for one sync, in which 2,000 samples/s become 40,000. The next power
  /// of two takes 2 MiB, which is the limit for a thread; it lasts for 32 s.
  public static let ringCapacity = Ring<Reading>.capacity(holding: 20 * 2_000, within: 2 << 20)

  /// Starts the thread; samples go into `ring`. `bell` rings for the first sample after a pause and
  /// when the ring is filling up; otherwise the consumer polls the ring itself.
  public convenience init(
    into ring: consuming RingProducer<Reading>, bell: WakeUp
  ) throws(SystemError) {
    try self.init(into: ring, bell: bell, pace: ReaderPace())
  }

  /// The same with a given pace.
  package init(
    into ring: consuming RingProducer<Reading>, bell: WakeUp, pace: ReaderPace
  ) throws(SystemError) {
    let control = Ring<ControlPacket>.make(capacity: 1 << 12)
    let channel = try ControlChannel(control.consumer)
    let mailbox = try Mailbox<ReaderRequest>()
    let watched = try WatchList()
    let ends = HandOver(
      ReaderEnds(
        samples: ring, samplesBell: bell, control: control.producer, controlBell: channel.bell,
        watched: watched))
    self.control = channel
    self.mailbox = mailbox
    thread = try NamedThread("reader") { () -> ReaderLoop? in
      guard let ends = ends.take() else { return nil }
      return ReaderLoop(mailbox, ends, pace)
    }
  }

  deinit {
    stop()
  }

  /// Takes over a board's descriptor; `handler` gets the packets that are not samples, on a queue
  /// of its own.
  public func attach(
    _ board: UInt16, _ descriptor: consuming OwnedDescriptor,
    _ handler: @escaping @Sendable (ReaderEvent) -> Void
  ) {
    let attachment = control.handle(board, handler)
    _ = mailbox.post(.attach(board, NotifySocket(descriptor), attachment: attachment))
  }

  /// Decodes these streams of a board from now on; a reading names its stream by the position here.
  ///
  /// After a restart the board's counters start again, which is reported to the recorder, with the
  /// board's counts from before it.
  public func route(
    _ board: UInt16, _ streams: [BoardStream], restart: Reading.Kind? = nil,
    counts: [UInt32?] = []
  ) {
    _ = mailbox.post(.route(board, streams, restart: restart, counts: counts))
  }

  /// Reports to the recorder that these streams of a board pause: their counters continue, but time
  /// has passed.
  public func restart(_ streams: [Int], of board: UInt16) {
    _ = mailbox.post(.restart(board, streams))
  }

  /// Reports to the recorder that a board is there but sends nothing of these streams.
  public func silence(_ streams: [Int], of board: UInt16) {
    _ = mailbox.post(.silence(board, streams))
  }

  /// Packets of each stream of a board since it was routed, counted in `seconds` from now; at the
  /// nearest tick, or earlier if the board is detached.
  public func packets(of board: UInt16, after seconds: Double = 0) async -> [UInt64] {
    await Reply.wait { reply in
      if !mailbox.post(.observe(board, after: seconds, reply)) { reply.give([]) }
    }
  }

  /// While followed, rings the consumer's bell in every round that brings it readings, for someone
  /// who watches them arrive.
  public func follow(_ isFollowed: Bool = true) {
    _ = mailbox.post(.follow(isFollowed))
  }

  /// Drains and closes a board's descriptor. It returns when every received reading is in the ring.
  /// That may mean waiting for room, but other boards do not wait.
  ///
  /// At the end of a recording no more data is expected; otherwise a lost link is reported for the
  /// board's streams.
  public func detach(_ board: UInt16, isEnd: Bool = true) async -> ReaderCounts {
    defer { control.forget(board) }
    return await Reply.wait { reply in
      if !mailbox.post(.detach(board, isEnd: isEnd, reply)) { reply.give(ReaderCounts()) }
    }
  }

  public func stop() {
    _ = mailbox.post(.stop)
    thread.join()
  }
}
