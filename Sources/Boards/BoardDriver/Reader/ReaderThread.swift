public import LinuxSystem
public import Recording
public import RingBuffer

/// The thread that reads every board's notifications: receive, stamp, decode, push.
///
/// It blocks in poll only: for each packet while few come, on a tick where there are many. Samples
/// go into the ring to the recorder, everything else into a second ring to the sessions.
public final class ReaderThread: Sendable {
  private let mailbox: Mailbox<ReaderRequest>
  private let control: ControlChannel
  private let thread: NamedThread

  /// Samples the ring to the recorder holds, per reader thread: 2¹⁶.
  ///
  /// A tired card may take 20 s for one sync, in which 2,000 samples/s become 40,000. A power of
  /// two that holds them takes 2 MiB, which is the most a thread shall have; it lasts for 32 s.
  public static let ringCapacity = Ring<Reading>.capacity(holding: 20 * 2_000, within: 2 << 20)

  /// Starts the thread; samples go into `ring`. `bell` rings for the first of them after a pause,
  /// and when the ring fills up; in between its consumer looks by itself.
  public convenience init(
    into ring: consuming RingProducer<Reading>, bell: WakeUp
  ) throws(SystemError) {
    try self.init(into: ring, bell: bell, pace: ReaderPace())
  }

  /// The same at a given pace.
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
    thread = try NamedThread("reader") {
      guard let ends = ends.take() else { return }
      var loop = ReaderLoop(mailbox, ends, pace)
      loop.run()
    }
  }

  deinit {
    stop()
  }

  /// Takes a board's descriptor over; `handler` gets what is no sample, on a queue of its own.
  public func attach(
    _ board: UInt16, _ descriptor: consuming OwnedDescriptor,
    _ handler: @escaping @Sendable (ReaderEvent) -> Void
  ) {
    let attachment = control.handle(board, handler)
    _ = mailbox.post(.attach(board, NotifySocket(descriptor), attachment: attachment))
  }

  /// Decodes these streams of a board from now on; a reading names them by their position here.
  ///
  /// After a restart the board's numbers begin again, which the recorder is told.
  public func route(_ board: UInt16, _ streams: [BoardStream], restart: Reading.Kind? = nil) {
    _ = mailbox.post(.route(board, streams, restart: restart))
  }

  /// Tells the recorder that these streams of a board pause: their numbers go on, but time has
  /// passed.
  public func restart(_ streams: [Int], of board: UInt16) {
    _ = mailbox.post(.restart(board, streams))
  }

  /// Tells the recorder that a board is there and sends nothing of these streams.
  public func silence(_ streams: [Int], of board: UInt16) {
    _ = mailbox.post(.silence(board, streams))
  }

  /// Packets of each stream of a board since it was routed.
  public func packets(of board: UInt16) async -> [UInt64] {
    await Reply.wait { reply in
      if !mailbox.post(.observe(board, reply)) { reply.give([]) }
    }
  }

  /// Drains and closes a board's descriptor. When it returns, everything received is in the ring,
  /// for which it may have had to wait; other boards have not.
  ///
  /// At the end of a recording nothing more is expected of it; else its streams miss what follows.
  public func detach(_ board: UInt16, isEnd: Bool = true) async -> ReaderCounts {
    defer { control.forget(board) }
    return await Reply.wait { reply in
      if !mailbox.post(.detach(board, isEnd: isEnd, reply)) { reply.give(ReaderCounts()) }
    }
  }

  /// Ends the thread.
  public func stop() {
    _ = mailbox.post(.stop)
    thread.join()
  }
}
