internal import DBus
internal import DiskFaults
internal import Gateway
internal import LinuxSystem
internal import Simulation
internal import Upload
internal import Values

/// Runs the plan of one trip in simulated time and checks every recording in it.
// Safety: all users of this object run on a single kernel thread.
final class FieldTrip: @unchecked Sendable {
  /// The maximum number of boards that a gateway accepts on one adapter.
  private static let boardsOfAdapter = 5

  let plan: FieldPlan
  private let without: Set<Int>
  let time: SimulatedTime
  /// The date and time at the start of the trip.
  private let start: UTCTime
  /// Random numbers that determine which bytes survive a power cut, and how long a receiver
  /// searches for a fix.
  var random: SplitMix64
  let bus = InProcessBus()
  let daemon: SimulatedDaemon
  let boards: [SimulatedBoard]
  /// For each board, the samples that the radio delivered.
  let air: Guarded<[AirLog]>
  let sky = Guarded(SkyLog())
  let server = FieldServer()
  /// The disk that contains the store.
  var disk: SimulatedDisk
  /// The disks of killed programs. Their files are still open.
  var abandoned: [SimulatedDisk] = []
  var life: Life?
  var upload: UploadRun?
  /// Each recording's content, read after the recording ended.
  var judged: [JudgedSession] = []
  var lastFault: Double?
  var violations: [Violation] = []
  /// All events so far, with their times.
  private(set) var story: [(time: Double, text: String)] = []
  /// Whether to stop at the first broken invariant.
  var endsAtFirst = false
  var recordings = 0
  var samples = 0
  /// The number of timestamps checked in short recordings, and the number that are accurate to a
  /// millisecond.
  var times = (judged: 0, right: 0)

  /// A run of the gateway program from start to end.
  final class Life {
    let run: RecordingRun
    let report = Guarded<Result<RecordingReport, any Error>?>(nil)
    let startedAt: Double
    var stoppedAt: Double?
    var hadFault = false
    var lostPacketsOnly = true
    var hadDiskFault = false
    var lateSeconds = 0.0
    /// Seconds during which a board's firmware was hung and produced no samples.
    var hungSeconds = 0.0
    /// For each board, the number of samples lost over the air before this run.
    let droppedBefore: [UInt64]

    init(_ run: RecordingRun, at time: Double, _ counts: [BoardCounts]) {
      self.run = run
      startedAt = time
      droppedBefore = counts.map(\.samplesLost)
    }
  }

  /// Creates a trip from a plan, without the events that have these numbers.
  init(_ plan: FieldPlan, without: Set<Int>) throws {
    self.plan = plan
    self.without = without
    let time = SimulatedTime(seed: plan.seed)
    time.install()
    self.time = time
    start = time.trueTime
    let boards = SimulatedWorld.boards(plan.boards, seed: plan.seed)
    let air = Guarded(Array(repeating: AirLog(), count: plan.boards))
    let bus = bus
    daemon = try time.outside {
      var settings = DaemonSettings()
      settings.eventSeconds = 0.015
      settings.adapters = (plan.boards + Self.boardsOfAdapter - 1) / Self.boardsOfAdapter
      return try SimulatedDaemon(.inProcess(bus), boards: boards, settings: settings) { delivery in
        switch delivery {
        case .notification(let board, let notification, let isLeftOver):
          air.withLock { $0[board].take(notification, isLeftOver: isLeftOver) }
        }
      }
    }
    self.boards = boards
    self.air = air
    // This random sequence is separate from the plan's.
    random = SplitMix64(seed: plan.seed &+ 1 << 32)
    pipes = try TemporaryFolder(prefix: "footbridge-field")
    disk = try SimulatedDisk(keeping: .content)
    time.onFile = { [unowned self] operation, folder in
      guard folder == disk.path, let fault = disk.admit(operation) else { return nil }
      return fault.errorNumber
    }
  }

  static let storeName = "store.sqlite"
  var store: String { disk.path + "/" + Self.storeName }
  var receiverPath: String { pipes.path + "/gps" }

  func perform() {
    for (number, event) in plan.events.enumerated() where !without.contains(number) {
      time.after(event.time) { self.perform(event) }
    }
    var isOver = false
    let end = max(plan.days * FieldPlan.day, (plan.events.last?.time ?? 0) + 60)
    time.after(end) { isOver = true }
    time.run { isOver || endsAtFirst && !violations.isEmpty }
    if !isOver { return }
    if life?.stoppedAt != nil { judge(.ends, "the recording did not end") }
    if life == nil { judgeAgain() }
    for complaint in daemon.complaints { judge(.noMistake, complaint) }
    // If a board ignored a command, the board later rejects commands that depend on the ignored
    // one.
    guard !plan.hasDeafBoard else { return }
    for counts in daemon.boardCounts {
      for complaint in counts.complaints { judge(.noMistake, complaint) }
    }
  }

  func judge(_ invariant: FieldInvariant, _ text: String) {
    violations.append(Violation(invariant: invariant, time: time.elapsed, text: text))
  }

  func tell(_ text: String) {
    // Temporary folders have different names in each run.
    let text = text.replacing(disk.path, by: "/disk").replacing(pipes.path, by: "/dev")
    story.append((time.elapsed, text))
    onStory(time.elapsed, text)
  }

  /// Called with the time and text of each event as it happens.
  var onStory: (Double, String) -> Void = { _, _ in }

  // MARK: Events

  private func perform(_ event: FieldEvent) {
    switch event.kind {
    case .start:
      guard life == nil else { return }
      tell(event.story)
      startRecording()
    case .stop:
      guard let life, life.stoppedAt == nil else { return }
      tell(event.story)
      stop(life)
    case .kill, .powerCut:
      guard life != nil || upload != nil else { return }
      tell(event.story)
      cut(isPower: { if case .powerCut = event.kind { true } else { false } }())
    case .board(let board, let fault):
      noteFault(event)
      daemon.inject(fault, into: board)
    case .recharge(let board):
      noteFault(event)
      daemon.inject(.reboot, into: board)
    case .daemon(let fault):
      noteFault(event)
      daemon.inject(fault)
    case .upload:
      tell(event.story)
      startUpload()
    case .network(let state):
      tell(event.story)
      server.state = state
    case .clock(let seconds):
      tell(event.story)
      time.stepClock(bySeconds: seconds)
    case .receiver(let isOn):
      tell(event.story)
      switchReceiver(isOn)
    case .disk(let fault):
      noteFault(event)
      if let fault { disk.fail(fault) } else { disk.heal() }
    }
  }

  private func noteFault(_ event: FieldEvent) {
    tell(event.story)
    life?.hadFault = true
    switch event.kind {
    case .board(_, .drop): break
    case .disk: life?.hadDiskFault = true
    case .board(_, .delay(let seconds)):
      life?.lateSeconds += seconds
      life?.lostPacketsOnly = false
    case .board(_, .hang(let seconds)):
      life?.hungSeconds += seconds
      life?.lostPacketsOnly = false
    default: life?.lostPacketsOnly = false
    }
    lastFault = time.elapsed
  }

  // MARK: The receiver

  private let pipes: TemporaryFolder
  private var receiver: SimulatedReceiverLine?

  /// Switches the receiver on or off. After it is switched on, it takes up to 40 seconds to get a
  /// fix. When it is switched off, its device disappears.
  private func switchReceiver(_ isOn: Bool) {
    receiver?.stop()
    receiver = nil
    sky.withLock { $0.changed(at: time.elapsed) }
    guard isOn else {
      _ = Folder.remove(file: receiverPath)
      return
    }
    do {
      let searching = Double.random(in: 0...40, using: &random)
      let (time, sky) = (time, sky)
      receiver = try time.outside {
        try SimulatedReceiverLine(
          SimulatedReceiver(since: start, seed: plan.seed, fixAfter: searching),
          intoPipe: receiverPath, clock: { time.trueTime },
          witness: { second, place in
            sky.withLock { $0.take(second, place, at: time.elapsed) }
          })
      }
    } catch {
      judge(.positions, "cannot switch on a receiver: \(error)")
    }
  }
}
