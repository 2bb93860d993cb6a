internal import LinuxSystem
internal import NMEA
internal import Recording
internal import RingBuffer

/// The status that the thread writes and others read.
final class ReceiverStatusBoard: Sendable {
  let status = Guarded(ReceiverStatus())
}

/// What the thread `gps` does: keep the port open, read it, and pass on what the receiver says.
struct ReceiverLoop: ~Copyable, Sendable {
  /// Where to listen and how.
  struct Configuration: Sendable {
    var path: String
    var speed: SerialSpeed
    var floor: UTCTime
    var timing: ReceiverWatch.Timing
  }

  private let configuration: Configuration
  private var producer: RingProducer<PositionReport>
  private let recorder: WakeUp
  private let board: ReceiverStatusBoard
  private var watch: ReceiverWatch
  private var reader: NMEAReader
  private var line: SerialLine?
  /// Sentences of the readers before the present one.
  private var earlier = (good: 0, bad: 0)

  init(
    _ configuration: Configuration, producer: consuming RingProducer<PositionReport>,
    recorder: WakeUp, board: ReceiverStatusBoard
  ) {
    self.configuration = configuration
    self.producer = producer
    self.recorder = recorder
    self.board = board
    watch = ReceiverWatch(timing: configuration.timing, at: BootClock.now())
    reader = NMEAReader(floor: configuration.floor)
  }

  /// Runs until the flag is raised and `wake` rung.
  mutating func run(until stopping: StopFlag, wake: WakeUp) {
    var polls = PollSet()
    // A second at 115,200 baud is 11,520 bytes, and a round comes with every few of them.
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !stopping.isRaised {
      while let action = watch.next(at: BootClock.now()) { perform(action) }
      publish()
      polls.removeAll()
      polls.add(wake.number)
      let position = (line?.number).map { polls.add($0) }
      polls.wait(seconds: watch.wait(at: BootClock.now()))
      let now = BootClock.now()
      wake.clear()
      if let position, polls.isReadable(position) || polls.isHungUp(position) {
        read(at: now, into: &buffer)
      }
    }
    flush()
    publish()
  }

  private mutating func perform(_ action: ReceiverWatch.Action) {
    switch action {
    case .open: open()
    case .flush: flush()
    case .checkName:
      if line?.isStillNamed != true { lose(problem: nil) }
    }
  }

  private mutating func open() {
    do {
      line = try SerialLine(path: configuration.path, speed: configuration.speed)
      // Another receiver may be on the port now: neither date nor cycle of the last one count.
      earlier.good += reader.counts.accepted + reader.counts.ignored
      earlier.bad += reader.counts.refused
      reader = NMEAReader(floor: configuration.floor)
      watch.opened(at: BootClock.now())
      board.status.withLock { $0.problem = nil }
    } catch {
      lose(problem: error)
    }
  }

  /// Reads everything there is, so that all of it is stamped with its arrival.
  private mutating func read(at now: BootTime, into buffer: inout [UInt8]) {
    while let count = line?.read(into: &buffer) {
      guard count > 0 else {
        if !SerialLine.isNothingYet(count) { lose(problem: nil) }
        return
      }
      var reports: [PositionReport] = []
      let before = reader.counts.accepted + reader.counts.ignored
      reader.receive(buffer.span.extracting(0..<count), at: now) { reports.append($0) }
      let hasSentence = reader.counts.accepted + reader.counts.ignored > before
      watch.heard(at: now, hasSentence: hasSentence)
      passOn(reports)
      // A short read emptied the line.
      if count < buffer.count { return }
    }
  }

  private mutating func flush() {
    var reports: [PositionReport] = []
    reader.flush { reports.append($0) }
    passOn(reports)
  }

  private mutating func lose(problem: SystemError?) {
    flush()
    line = nil
    watch.lost(at: BootClock.now())
    board.status.withLock { $0.problem = problem }
  }

  private mutating func passOn(_ reports: [PositionReport]) {
    guard !reports.isEmpty else { return }
    for report in reports {
      watch.reported(report, at: BootClock.now())
      let hasRoom = producer.push(report)
      board.status.withLock { status in
        if !hasRoom { status.lostReports += 1 }
        if case .fix(let fix) = report { status.fix = fix }
      }
    }
    recorder.ring()
  }

  private func publish() {
    let counts = reader.counts
    board.status.withLock { status in
      status.state = watch.state
      status.goodSentences = earlier.good + counts.accepted + counts.ignored
      status.badSentences = earlier.bad + counts.refused
      status.addedEras = reader.addedEras
    }
  }
}
