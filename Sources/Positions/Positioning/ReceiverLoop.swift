internal import LinuxSystem
internal import Recording
internal import RingBuffer

/// Shares a source's status between the `gps` thread, which writes it, and the threads that read
/// it.
final class ReceiverStatusBoard: Sendable {
  let status = Guarded(ReceiverStatus())
}

/// The body of the `gps` thread for any kind of source. Waits for the source's feed, passes on the
/// feed's reports, and reports each change in the source's state.
struct ReceiverLoop<Feed: PositionFeed & ~Copyable>: ThreadLoop, ~Copyable, Sendable {
  private var feed: Feed
  private var producer: RingProducer<PositionReport>?
  private let recorder: WakeUp?
  private let board: ReceiverStatusBoard
  private let listener: @Sendable (ReceiverEvent) -> Void
  /// Raised before `wake` is rung, to make the thread end.
  private let stopping: StopFlag
  private let wake: WakeUp
  /// Waits for `wake` and for the feed's descriptor, which are registered in this order.
  private var polls = PollSet()
  private var reports: [PositionReport] = []
  private var told = ReceiverStatus()
  private var lastIsFix = false

  init(
    _ feed: consuming Feed, producer: consuming RingProducer<PositionReport>?, recorder: WakeUp?,
    board: ReceiverStatusBoard, until stopping: StopFlag, wake: WakeUp,
    listener: @escaping @Sendable (ReceiverEvent) -> Void
  ) {
    self.feed = feed
    self.producer = producer
    self.recorder = recorder
    self.board = board
    self.listener = listener
    self.stopping = stopping
    self.wake = wake
  }

  mutating func pause() -> Double? {
    guard !stopping.isRaised else { return nil }
    feed.work(at: BootClock.now(), into: &reports)
    publish()
    polls.removeAll()
    polls.add(wake.number)
    polls.add(feed.descriptor, forWriting: feed.waitsForWriting)
    return feed.wait(at: BootClock.now())
  }

  mutating func wait(seconds: Double) -> Bool { polls.wait(seconds: seconds) }

  mutating func round() {
    if polls.isReadable(0) { wake.clear() }
    guard polls.isReady(1) else { return }
    feed.take(at: BootClock.now(), into: &reports)
    publish()
  }

  consuming func end() {
    feed.finish(into: &reports)
    publish()
  }

  /// Reports a change in the source's state, passes on the feed's reports, and updates the status.
  private mutating func publish() {
    // Without this report, the recorder would not know that a silent source has no fix.
    if feed.state.isLoss, lastIsFix || reports.contains(where: \.isFix) {
      reports.append(.noFix(arrival: BootClock.now()))
    }
    let before = told
    told.state = feed.state
    for case .fix(let fix) in reports { told.fix = fix }
    feed.describe(&told)
    if before.state != told.state || before.problem != told.problem || isFirst {
      isFirst = false
      listener(
        .change(
          ReceiverChange(
            time: BootClock.now(), state: told.state, device: told.device, speed: told.speed,
            problem: told.problem)))
    }
    for report in reports {
      if !(producer?.push(report) ?? true) { told.lostReports += 1 }
      listener(.report(report))
      lastIsFix = report.isFix
    }
    if !reports.isEmpty { recorder?.ring() }
    reports.removeAll(keepingCapacity: true)
    let now = told
    board.status.withLock { $0 = now }
  }

  /// Whether the first state has yet to be reported. It is reported even though it is not a change.
  private var isFirst = true
}

extension PositionReport {
  fileprivate var isFix: Bool { if case .fix = self { true } else { false } }
}
