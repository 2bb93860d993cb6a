public import LinuxSystem
public import Recording
public import RingBuffer

/// The thread that handles every board's notifications: it receives, timestamps, decodes and pushes
/// them.
///
/// The thread blocks only in poll. When few packets arrive, it waits for each one; otherwise, it
/// waits for the next tick. Samples go into the recorder's ring. All other packets go into a second
/// ring, which the sessions read.
public final class ReaderThread: Sendable {
  private let mailbox: Mailbox<ReaderRequest>
  private let control: ControlChannel
  private let thread: NamedThread

  /// Number of samples that fit into the ring between a reader thread and the recorder: 2¹⁶.
  ///
  /// A sync on a worn SD card may take 20 s, during which 40,000 samples arrive at 2,000 samples
  /// per second. The next power of two uses 2 MiB, which is the limit per thread, and lasts for 32
  /// s.
  public static let ringCapacity = Ring<Reading>.capacity(holding: 20 * 2_000, within: 2 << 20)

  /// Starts the thread, which pushes samples into `ring`. `bell` rings for the first sample after a
  /// pause and when the ring is filling up; otherwise the consumer polls the ring itself.
  public convenience init(
    into ring: consuming RingProducer<Reading>, bell: WakeUp
  ) throws(SystemError) {
    try self.init(into: ring, bell: bell, pace: ReaderPace())
  }

  /// Starts the thread with a given pace instead of the adaptive one.
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

  /// Takes ownership of a board's descriptor. `handler` receives the hang-up, and the packets that
  /// are malformed or not samples. It is called on the `control` thread.
  public func attach(
    _ board: UInt16, _ descriptor: consuming OwnedDescriptor,
    _ handler: @escaping @Sendable (ReaderEvent) -> Void
  ) {
    let attachment = control.handle(board, handler)
    _ = mailbox.post(.attach(board, NotifySocket(descriptor), attachment: attachment))
  }

  /// Starts decoding these streams of a board. A reading identifies its stream by the index in
  /// `streams`.
  ///
  /// If `restart` is not `nil`, the board's counters start again. The recorder receives a report of
  /// the restart and the board's own sample counts from before it.
  public func route(
    _ board: UInt16, _ streams: [BoardStream], restart: Reading.Kind? = nil,
    counts: [UInt32?] = []
  ) {
    _ = mailbox.post(.route(board, streams, restart: restart, counts: counts))
  }

  /// Reports to the recorder that these streams were paused. The board's counters continue, so they
  /// do not show how long the pause was.
  public func restart(_ streams: [Int], of board: UInt16) {
    _ = mailbox.post(.restart(board, streams))
  }

  /// Reports to the recorder that a board responds but sends no data for these streams.
  public func silence(_ streams: [Int], of board: UInt16) {
    _ = mailbox.post(.silence(board, streams))
  }

  /// Returns how many packets of each stream the reader has received from a board since the board
  /// was routed. The packets are counted at the tick nearest to `seconds` from now, or earlier if
  /// the board is detached.
  public func packets(of board: UInt16, after seconds: Double = 0) async -> [UInt64] {
    await Reply.wait { reply in
      if !mailbox.post(.observe(board, after: seconds, reply)) { reply.give([]) }
    }
  }

  /// Sets whether the consumer's bell rings after every round that delivers readings, as a live
  /// view needs.
  public func follow(_ isFollowed: Bool = true) {
    _ = mailbox.post(.follow(isFollowed))
  }

  /// Drains and closes a board's descriptor. If the ring is full, the call waits up to 20 s for
  /// space for the board's pending reports, but does not delay other boards.
  ///
  /// With `isEnd`, no more data is expected from the board. Otherwise, a lost link is reported for
  /// each of the board's streams.
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
