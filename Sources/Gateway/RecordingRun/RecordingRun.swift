internal import BlueZ
internal import BoardDriver
internal import DBus
internal import LinuxSystem
internal import MetaWearProtocol
internal import Positioning
public import Recording
internal import RingBuffer
internal import Storage
public import Values

/// One recording from the first scan to the closed store: creates the threads, connects them, and
/// ends them.
///
/// This example records the first board in range for one second:
///
///     let plan = RecordingPlan(
///       bus: bus, boards: .any(count: 1), receiver: nil, store: path, seconds: 1)
///     let run = try RecordingRun(plan, log: { _ in })
///     let report = try await run.run()
public actor RecordingRun {
  /// The reason why the recording run ended.
  private enum End: Sendable {
    case asked
    case timeOver
    case failed(any Error)
  }

  let plan: RecordingPlan
  private let session: Session
  let recorder: RecorderThread
  let reader: ReaderThread
  private let log: @Sendable (LogEvent) -> Void
  /// Counts the recovery steps for boards and adapters. `nil` outside a daemon.
  private let help: Help?
  private let ends: AsyncStream<End>
  private nonisolated let end: AsyncStream<End>.Continuation
  private let receiver: RecordedReceiver
  private let signs = Guarded<[BoardAddress: Signs]>([:])
  /// The boards that bluetoothd reports as linked.
  private let linked = Guarded<Set<BoardAddress>>([])
  /// The obstacle that prevents all connections, or `nil` if there is none.
  private let obstacle = Guarded<LiveStatus.Obstacle?>(nil)
  /// Pauses or resumes the recording. Does nothing if it is already in that state.
  nonisolated func pause(_ isPaused: Bool, at time: BootTime) {
    recorder.pause(isPaused, at: time)
  }

  private let recovered = Guarded(false)
  /// Boards that are waiting because every adapter has reached its maximum number of links.
  private let crowdedOut = Guarded<Set<BoardAddress>>([])
  var boards: [RecordedBoard] = []
  var radio: BlueZRadio?
  let controller: HostController
  let places = LinkPlaces()
  /// Expected number of boards on each adapter once all are linked.
  var expectedCompany = 1
  var gate = StartGate(for: [])
  /// Boards that are set up, and their streams. They are registered with the recorder once all are
  /// set up, so a failed start leaves no session.
  private var prepared: [UInt16: (identity: IdentityBox, streams: [BoardStream])] = [:]
  private var isStopping = false
  /// Number of boards whose recording has not ended.
  var running = 0

  /// Evidence other than samples that a board is alive.
  private struct Signs {
    /// Signal strength in dBm, last measured before the latest link was established.
    var rssi: Int?
    /// Battery charge in percent.
    var battery: Int?
    /// Whether the board responded to the last request over its link.
    var isAnswering = false
  }

  /// A linked board, its runner, and the runner's task.
  struct RecordedBoard {
    let identity: IdentityBox
    let runner: BoardRunner
    let number: UInt16
    let task: Task<BoardRunner.Outcome, Never>
  }

  /// Prepares a run without affecting anything outside this process.
  public init(
    _ plan: RecordingPlan, log: @escaping @Sendable (LogEvent) -> Void
  ) throws {
    try self.init(plan, help: nil, log: log)
  }

  /// Prepares a daemon's run, which counts the recovery steps for its boards.
  init(
    _ plan: RecordingPlan, help: Help?, log: @escaping @Sendable (LogEvent) -> Void
  ) throws {
    self.plan = plan
    self.log = log
    self.help = help
    let (ends, end) = AsyncStream<End>.makeStream()
    let readings = Ring<Reading>.make(capacity: ReaderThread.ringCapacity)
    // Enough space for 17 minutes of fixes at one per second, in case the recorder is blocked.
    let positions = Ring<PositionReport>.make(capacity: 1 << 10)
    let seconds = plan.seconds
    let recorder = try RecorderThread(
      readings: readings.consumer, positions: positions.consumer,
      onFirstSample: { arrival in
        guard let seconds else { return }
        Task {
          let elapsed = BootClock.now().seconds(since: arrival)
          try? await Pause.seconds(max(0, seconds - elapsed))
          end.yield(.timeOver)
        }
      },
      onFailure: { end.yield(.failed($0)) },
      onSpace: { LogEvent.remarks(on: $0).forEach(log) }, onClock: { log(LogEvent($0)) },
      onSession: { log(LogEvent($0)) })
    self.recorder = recorder
    reader = try ReaderThread(into: readings.producer, bell: recorder.bell)
    // Samples that are not stored are shown as they arrive.
    if case .live = plan.destination { reader.follow() }
    receiver = RecordedReceiver(of: plan, into: positions.producer, log: log)
    self.ends = ends
    self.end = end
    // Boards on a private bus are not linked to this computer's controllers.
    controller = plan.settings.bus == .system ? HostController() : HostController(abilities: [])
    session = Session(
      bootID: try BootClock.bootID(), start: BootClock.now(), note: plan.settings.note ?? "",
      gateway: plan.settings.gateway ?? "", wearer: plan.settings.wearer ?? "",
      participant: plan.settings.participant)
  }

  /// Requests an orderly shutdown. `run` returns once the run has ended.
  public nonisolated func stop() {
    end.yield(.asked)
  }

  /// Carries out a user's command to start or stop a session. Has no effect unless walking starts
  /// and stops sessions.
  nonisolated func take(_ command: RecordingWish.Command) { recorder.take(command) }

  /// Sets the participant for sessions that begin later.
  nonisolated func take(_ participant: Participant?) { recorder.take(participant) }

  /// Updates the participant in the open session's status, after a user edited the participant in
  /// the store.
  nonisolated func correct(_ participant: Participant?, of session: UniqueID) {
    recorder.correct(participant, of: session)
  }

  /// Applies new settings. Has no effect unless walking starts and stops sessions.
  nonisolated func take(_ settings: WalkingSettings) { recorder.take(settings) }

  /// Starts a pause at `time`, or ends the current pause. During a pause, arriving samples and
  /// positions are discarded, and each sample is counted as lost. Boards stay connected.
  public nonisolated func togglePause(at time: BootTime) { recorder.togglePause(at: time) }

  /// Whether the rest of an interrupted recording was recovered, so that there is something to
  /// upload.
  nonisolated var hasRecovered: Bool { recovered.withLock { $0 } }

  /// This recording's session, if the whole recording is one session.
  public nonisolated var sessionID: UniqueID { session.id }

  public nonisolated var liveStatus: LiveStatus {
    var status = recorder.liveStatus
    let addresses = status.boards.map(\.identity.address)
    // `signs` is copied while the lock is held: ThreadSanitizer cannot follow the reference count
    // of a copy that outlives the lock.
    let signs = signs.withLock { signs in addresses.map { signs[$0] } }
    for (index, sign) in signs.enumerated() {
      status.boards[index].rssi = sign?.rssi
      status.boards[index].battery = sign?.battery
      status.boards[index].isAnswering = sign?.isAnswering ?? false
    }
    crowdedOut.withLock { crowdedOut in
      for index in addresses.indices {
        status.boards[index].isCrowdedOut = crowdedOut.contains(addresses[index])
      }
    }
    let linked = linked.withLock { linked in addresses.map { linked.contains($0) } }
    for (index, isLinked) in linked.enumerated() { status.boards[index].isLinked = isLinked }
    status.obstacle = obstacle.withLock { $0 }
    status.receiver = receiver.state
    status.receiverProblem = receiver.problem
    return status
  }

  /// Calls `tell` for each new status, at most 150 ms after the arrival of its samples. The reader
  /// and the recorder then wake together, ten times per second. `tell` must not block.
  public nonisolated func follow(_ tell: @escaping @Sendable () -> Void) {
    recorder.follow(tell)
    reader.follow()
  }

  /// Records whether someone is watching the live samples, which `takeNewColumns` returns.
  nonisolated func watch(_ isWatched: Bool) {
    recorder.watch(isWatched)
    reader.follow(isWatched)
  }

  /// Returns the samples that have arrived since the last call, in columns that each cover a tenth
  /// of a second.
  nonisolated func takeNewColumns() -> [LiveStreamColumns] { recorder.takeNewColumns() }

  var settings: RecordingSettings { plan.settings }

  /// Hazards on the route that are known before the recording starts.
  private var hazards: [Hazard] {
    let intensities = Dictionary(
      settings.hazards.map { ($0.name, $0.intensity) }, uniquingKeysWith: { $1 })
    return intensities.sorted { $0.key < $1.key }.map { name, intensity in
      Hazard(name: name, intensity: intensity, time: session.start)
    }
  }

  /// Records as planned and returns the report.
  ///
  /// Throws only if the store could not be opened or has no room. Any later failure is part of the
  /// report, together with the counts up to that failure.
  public func run() async throws(StoreError) -> RecordingReport {
    do throws(StoreError) {
      let recovery = try await recorder.open(
        plan.destination, for: session, hazards: hazards, sealSeconds: settings.sealMinutes * 60,
        atRiskSeconds: settings.atRiskSeconds,
        fixesTellTheTime: settings.receiver?.knowsTheTime ?? true, walking: plan.walking,
        hasReceiver: settings.receiver != nil, continuesSessions: plan.continuesSessions)
      if let recovery {
        recovered.withLock { $0 = true }
        log(LogEvent(recovery))
        for file in recovery.kept { log(LogEvent(keptTail: file)) }
      }
      if case .store(let path) = plan.destination { try StoreReader(path: path).checkRoom() }
    } catch {
      _ = await recorder.finish()
      throw error
    }
    var failure: (any Error)?
    do {
      try receiver.start(for: recorder)
      let bringUp = Task { try await self.bringUp() }
      let watch = Task {
        if case .failure(let error) = await bringUp.result { end.yield(.failed(error)) }
      }
      failure = await waitForEnd()
      recorder.noteStop(reason: failure.map { "\($0)" } ?? "")
      bringUp.cancel()
      await radio?.end()
      await watch.value
    } catch {
      failure = error
    }
    isStopping = true
    for board in boards {
      recorder.note(.stopping, of: board.number, board.identity.value)
      board.runner.stop()
    }
    var reports: [RecordingReport.Board] = []
    for board in boards.sorted(by: { $0.number < $1.number }) {
      let outcome = await board.task.value
      // If this program closed the link by leaving the bus, the board has not failed. The log
      // reports the lost samples.
      let isLeft = await radio?.hasLeftBus ?? false
      reports.append(
        RecordingReport.Board(
          number: board.number, identity: board.identity.value, packets: outcome.counts,
          lostLinks: outcome.lostLinks, link: outcome.link, diagnosis: outcome.diagnosis,
          failure: isLeft ? nil : outcome.failure))
    }
    await radio?.close()
    let receiverStatus = receiver.status
    receiver.stop()
    reader.stop()
    controller.stop()
    let totals = await recorder.finish()
    for board in boards {
      for stream in totals.streams where stream.board == board.number {
        log(LogEvent(stream, of: board.identity.value.address))
      }
    }
    return RecordingReport(
      session: totals.session ?? session.id, boards: reports, totals: totals,
      receiver: receiverStatus,
      failure: failure)
  }

  /// Waits until the run ends. Returns the error if the run failed.
  private func waitForEnd() async -> (any Error)? {
    for await cause in ends {
      switch cause {
      case .asked, .timeOver: return nil
      case .failed(let error): return error
      }
    }
    return nil
  }

  func remark(
    _ severity: LogEvent.Severity, _ event: String, _ details: KeyValuePairs<String, String>
  ) {
    log(LogEvent(severity, event, details))
  }

  func tellOfLink(_ link: DeviceLink) async {
    let rssi = await link.rssi
    signs.withLock { $0[link.device.address, default: Signs()].rssi = rssi }
    remark(
      .notice, "connected",
      [
        "board": link.device.address.description, "adapter": link.device.adapterName,
        "rssi": rssi.map(String.init) ?? "unknown",
        "notifications": link.isBySignals ? "signals" : "descriptor",
      ])
  }

  /// Returns the battery charge that the Bluetooth daemon read from a linked board, for boards that
  /// do not report it themselves.
  private func chargeHeard(of board: BoardAddress) async -> Int? {
    await radio?.sight.devices.first { $0.address == board && $0.isConnected }?.battery
  }

  private func note(charge: Int, of board: BoardAddress) {
    signs.withLock { $0[board, default: Signs()].battery = charge }
    recorder.note(
      SessionEvent(.battery, board: board, at: BootClock.now(), value: Double(charge)))
  }

  private func note(isAnswering: Bool, _ identity: IdentityBox) {
    signs.withLock { $0[identity.value.address, default: Signs()].isAnswering = isAnswering }
  }

  /// Records which adapter a board is linked to. All boards on an adapter share its capacity.
  func note(_ link: DeviceLink) {
    places.note(link.device.address, on: link.device.adapterName)
    shareAdapters()
  }

  /// Informs each board's runner of the number of boards that share its adapter. Until all are
  /// linked, expected boards are also counted, because some kernels can shorten a connection
  /// interval but not lengthen it.
  private func shareAdapters() {
    for board in boards {
      let company = places.company(of: board.identity.value.address)
      board.runner.share(boards: gate.hasStarted ? company : max(company, expectedCompany))
    }
  }

  /// Receives the radio's reports, and passes them to the log and to this run.
  var radioListener: BlueZRadio.Listener {
    BlueZRadio.Listener(
      remark: log,
      disturbed: { [weak self] addresses in Task { await self?.disturb(addresses) } },
      obstructed: { [obstacle] error in
        let present = error.map { LiveStatus.Obstacle(text: $0.message, remedy: $0.remedy) }
        obstacle.withLock { $0 = present }
      },
      crowdedOut: { [crowdedOut] boards in crowdedOut.withLock { $0 = boards } },
      linked: { [linked] boards in linked.withLock { $0 = boards } },
      switched: { [help] in help?.switched(adapter: $0) },
      resetPort: { [help] in await help?.resetPort(of: .adapter($0)) })
  }

  var adapterConditions: [AdapterCondition] {
    get async { await radio?.conditions ?? [] }
  }

  /// Power-cycles an adapter that no longer works with its boards. If `resetsPort` is true, also
  /// resets its USB port.
  func revive(_ adapter: AdapterCondition, resetsPort: Bool, reason: String) async {
    await radio?.revive(adapter: adapter.path, resetsPort: resetsPort, reason: reason)
  }

  private func disturb(_ addresses: [BoardAddress]) {
    for board in boards where addresses.contains(board.identity.value.address) {
      board.runner.disturb()
    }
  }

  /// Records the end of a board's recording. If a board fails before the recording starts, no board
  /// starts. If it fails later, the remaining boards continue without it.
  func hasEnded(
    _ number: UInt16, _ identity: BoardIdentity, _ failure: (any Error)?
  ) {
    running -= 1
    places.note(identity.address, on: nil)
    shareAdapters()
    recorder.note(failure == nil ? .finished : .failed, of: number, identity)
    guard let failure else { return }
    if gate.hasStarted, !isStopping { noteGivenUp(identity, failure) }
    if !gate.hasStarted || running == 0 {
      end.yield(.failed(failure))
    } else {
      tellGivenUp(identity, failure)
    }
  }

  func noteGivenUp(_ board: BoardIdentity, _ failure: any Error) {
    recorder.note(
      SessionEvent(.givenUp, board: board.address, at: BootClock.now(), text: "\(failure)"))
  }

  func tellGivenUp(_ board: BoardIdentity, _ failure: any Error) {
    remark(
      .warning, "board given up",
      ["board": board.address.description, "reason": "\(failure)"])
  }

  func take(
    _ report: BoardRunner.Report, of number: UInt16, _ identity: IdentityBox
  ) async {
    let address = identity.value.address.description
    switch report {
    case .ready where prepared[number] != nil:
      // The board was already set up once, but its link was lost before the recording started.
      recorder.note(.streaming, of: number, identity.value)
      await start(gate.setUp(number))
    case .ready(let model, let firmware, let streams):
      identity.value.model = model.description
      identity.value.firmware = firmware
      recorder.note(.streaming, of: number, identity.value)
      remark(.detail, "ready", ["board": address, "firmware": firmware])
      for stream in streams { log(LogEvent(stream, of: identity.value.address)) }
      prepared[number] = (identity, streams)
      await start(gate.setUp(number))
    case .running(let tellsBattery):
      await radio?.streams(identity.value.address)
      if !tellsBattery, let charge = await chargeHeard(of: identity.value.address) {
        note(charge: charge, of: identity.value.address)
      }
      remark(.notice, "streaming", ["board": address, "model": identity.value.model])
    case .battery(let battery):
      note(charge: Int(battery.percent), of: identity.value.address)
    case .linkLost:
      gate.lost(number)
      note(isAnswering: false, identity)
      help?.linked(identity.value.address)
      recorder.note(.reconnecting, of: number, identity.value)
      note(.linkLost, of: identity)
      remark(.warning, "link lost", ["board": address, "remedy": "move the board closer"])
    case .resumed(let interruption):
      note(isAnswering: true, identity)
      recorder.note(.streaming, of: number, identity.value)
      switch interruption {
      case .link: note(.reconnected, of: identity)
      case .reboot: note(.reboot, of: identity)
      // Do not record a reconnection: only a sensor was silent, and the link was never lost.
      case .silence: help?.started(identity.value.address)
      }
      remark(
        .notice, "resumed",
        ["board": address, "rebooted": interruption == .reboot ? "yes" : "no"])
    case .restarting:
      help?.started(identity.value.address)
    case .silent(let signals):
      note(isAnswering: true, identity)
      note(.silent, of: identity, text: signals)
    case .stillSilent(let signals):
      remark(
        .warning, "sensor silent",
        ["board": address, "signals": signals, "remedy": BoardSession.brokenSensor])
    case .tuned(let link):
      remark(
        link.isAsRequested ? .notice : .warning, "link",
        ["board": address, "requested": link.requestedText, "achieved": link.achievedText])
    case .remark(let text):
      remark(.warning, text, ["board": address])
    }
  }

  func note(_ kind: SessionEvent.Kind, of identity: IdentityBox, text: String = "") {
    recorder.note(
      SessionEvent(kind, board: identity.value.address, at: BootClock.now(), text: text))
  }

  /// Starts boards that are set up, after registering their streams with the recorder.
  func start(_ numbers: [UInt16]) async {
    guard !numbers.isEmpty else { return }
    shareAdapters()
    for number in numbers {
      guard let board = prepared[number] else { continue }
      await recorder.addBoard(number, board.identity.value, board.streams.map(\.description))
      note(.settings, of: board.identity, text: board.streams.map(\.words).joined(separator: ", "))
    }
    for board in boards where numbers.contains(board.number) { board.runner.start() }
  }
}
