internal import BlueZ
internal import LinuxSystem
internal import Positioning
internal import Recording
internal import Storage
internal import Values

/// Keeps a daemon's recording running. Starts a recording when one is wanted, ends it when it is no
/// longer wanted, and restarts it after a failure. `RecordingCourse` and `RecordingWish` make the
/// decisions.
final class RecordingKeeper: Sendable {
  /// Seconds between checks of the current recording. Each check also determines whether the
  /// recording is still wanted.
  private static let lookSeconds = 1.0
  /// Seconds between checks while no recording is wanted. Commands and new configurations wake the
  /// loop earlier.
  private static let idleSeconds = 5.0

  private let nap = Nap()
  private let state: Guarded<KeptRecording>
  private let reporter: DaemonReporter
  private let help: Help

  init(_ plan: DaemonPlan, _ ports: USBPorts, _ reporter: DaemonReporter) {
    self.reporter = reporter
    help = Help(ports, log: reporter.log)
    state = Guarded(
      KeptRecording(
        plan: plan, wish: RecordingWish(plan.rule),
        course: RecordingCourse(longestSession: plan.sessionSeconds),
        phase: Since(.waiting, at: BootClock.now())))
  }

  /// Records until `stop` is called and returns once the last recording is closed.
  func keep() async {
    goOn()
    while !nap.isOver {
      if look(at: BootClock.now()) == .begin { await record() }
      let isIdle = state.withLock { $0.phase.value == .waiting }
      await nap.seconds(isIdle ? Self.idleSeconds : Self.lookSeconds)
    }
  }

  /// Continues a recording that a user had started before this program was interrupted, with the
  /// same participant.
  private func goOn() {
    let minute = LocalTime.minuteOfDay()
    guard let session = InterruptedSession.find(in: state.withLock { $0.plan.store }) else {
      return
    }
    state.withLock { state in
      if session.participant?.id != state.plan.usualParticipant?.id {
        state.chosen = session.participant
        state.isChoiceAssumed = true
      }
      guard !state.waitsForWalking, !state.wish.wantsRecording(minuteOfDay: minute) else { return }
      state.wish.take(.start, minuteOfDay: minute)
    }
  }

  /// Ends the current recording and prevents further recordings.
  func stop() {
    nap.end()
    let stop = state.withLock { state in
      _ = state.course.end()
      return state.stop
    }
    stop()
  }

  /// Returns the participant that a user specified by pseudonym when starting a recording.
  func participant(_ id: String) throws(Participant.Unknown) -> Participant {
    try Participant.chosen(id, among: state.withLock { $0.plan.participants })
  }

  /// Carries out a user's command to start or stop recording, and returns the open session, or
  /// `nil` if no session was open. See `KeptRecording.take`.
  func take(
    _ command: RecordingWish.Command, _ participant: Participant? = nil
  ) -> KeptRecording.OpenSession? {
    let minute = LocalTime.minuteOfDay()
    let (open, stop) = state.withLock {
      $0.take(command, participant, minuteOfDay: minute, at: BootClock.now())
    }
    stop?()
    nap.wake()
    return open
  }

  var openSession: UniqueID? { state.withLock { $0.openSession?.id } }

  /// Applies the participant stored for a session. See `KeptRecording.note`.
  func note(_ participant: Participant?, of session: UniqueID) {
    state.withLock { $0.note(participant, of: session) }
  }

  /// Pauses or resumes the recording. Returns `false` if there is no recording. If walking starts
  /// and stops sessions, also returns `false` between sessions.
  func pause(_ isPaused: Bool) -> Bool {
    let minute = LocalTime.minuteOfDay()
    return state.withLock { $0.pause(isPaused, minuteOfDay: minute, at: BootClock.now()) }
  }

  /// Applies a new configuration. If `keepsRecording` is true, the current recording continues.
  func take(_ plan: DaemonPlan, keepsRecording: Bool) {
    let stop = state.withLock { $0.take(plan, keepsRecording: keepsRecording) }
    stop?()
    nap.wake()
  }

  /// Returns evidence of data flow: the samples received, whether a board of the current recording
  /// is linked, and the number of additions to the store, which never decreases.
  func flow() -> (samples: UInt64, isLinked: Bool, additions: UInt64) {
    state.withLock { state in
      let monitor = state.monitor
      return (monitor.samples, state.run != nil && monitor.isLinked, state.additions)
    }
  }

  var isRecording: Bool { state.withLock { $0.run != nil } }

  /// Records whether someone is watching the live samples, for this and all later recordings.
  func watch(_ isWatched: Bool) {
    state.withLock { state in
      state.isWatched = isWatched
      state.run?.watch(isWatched)
    }
  }

  /// Returns the samples that have arrived since the last call. Empty unless someone is watching.
  func takeNewColumns() -> [LiveStreamColumns] {
    state.withLock { $0.run }?.takeNewColumns() ?? []
  }

  var live: LiveStatus? { state.withLock { $0.run }?.liveStatus }

  /// The current recording's last fix.
  var fix: Fix? { state.withLock { $0.monitor.live.fix } }

  /// Fills in the recording's part of the status.
  func describe(into status: inout GatewayStatus, at now: BootTime) {
    let counts = help.counts
    // The status is filled in under the lock. A copy of the state would share its dictionaries, so
    // the next change to the state would have to copy them.
    status = state.withLock { [status] state in
      var status = status
      status.recording.phase = state.phase.value
      status.recording.phaseAge = state.phase.seconds(at: now)
      status.recording.rule = state.wish.rule
      let live = state.monitor.live
      status.recording.isStopped = live.standby?.showsStop ?? state.wish.isStopped
      status.recording.session = live.session
      status.recording.participant = live.participant
      status.recording.pause = live.pause
      // While the gateway waits to retry, no recording is running that could report the pause, so
      // `pausedAt` is used. A pause during a walk ends with the walk.
      if live.pause == nil, !state.waitsForWalking {
        status.recording.pause = state.pausedAt.map { now.seconds(since: $0) }
      }
      if state.course.state == .ending, state.pausedAt == nil { status.recording.pause = nil }
      status.recording.standby = live.standby
      status.recording.elapsed = live.elapsed
      status.recording.restarts = state.course.restarts
      status.recording.failure = state.failure.map { GatewayStatus.Failure($0, at: now) }
      status.boards = state.monitor.boards(of: state.plan.nextRecording, at: now)
      status.bluetooth = state.monitor.bluetooth(at: now)
      status.receiver = state.monitor.receiver(of: state.plan.recording, at: now)
      status.note(counts, state.ladders)
      return status
    }
  }

  // MARK: One recording

  private func look(at now: BootTime) -> RecordingCourse.Action? {
    let minute = LocalTime.minuteOfDay()
    return state.withLock { state in
      if let live = state.run?.liveStatus ?? state.watch?.liveStatus {
        state.monitor.note(live, at: now)
      }
      let wanted =
        state.wish.wantsRecording(minuteOfDay: minute) && !nap.isOver
        && !state.plan.boards.isEmpty
      var action = state.course.next(wanted: wanted, at: now)
      if action == nil, state.usesDetectors, state.run != nil,
        state.turn.isDue(state.monitor.live, at: now)
      {
        action = state.course.end()
      }
      state.notePhase(at: now)
      return action
    }
  }

  private func record() async {
    let plan = state.withLock { $0.plan }
    let recording = plan.nextRecording
    var failure: (any Error)?
    noteBoards(of: plan)
    do {
      try await waitForWalking(recording)
      let isOver = state.withLock { state in
        state.monitor = RecordingMonitor()
        state.turn = DetectorTurn()
        return state.course.state == .ending
      }
      guard !isOver else { return ended(nil) }
      let run = try RecordingRun(recording, help: help, log: reporter.log)
      let isEnding = state.withLock { state in
        state.run = run
        if state.isWatched { run.watch(true) }
        if state.pausedAt != nil { run.pause(true, at: BootClock.now()) }
        // The participant, the rule and the walking settings may have changed since this recording
        // was planned.
        run.take(state.participant)
        if state.plan.rule.time == .walking { run.take(state.plan.walking) }
        if let command = state.command { state.give(command) }
        state.command = nil
        return state.course.state == .ending
      }
      // `stop` may have been called before this run existed.
      if isEnding { run.stop() }
      let watch = Task { await self.look { run.stop() } }
      let report = await Result { try await publishing(run, plan) { try await run.run() } }
      watch.cancel()
      await watch.value
      failure = try report.get().firstFailure
      if let report = try? report.get() { tell(report) }
    } catch {
      failure = error
    }
    ended(failure)
  }

  /// If the recording rule requires it, runs only the boards' detectors until someone walks or
  /// requests a session.
  private func waitForWalking(_ recording: RecordingPlan) async throws {
    let watch = DetectorWatch(recording, log: reporter.log)
    // An interrupted walk's recording continues, whatever the boards' detectors report.
    let isInterrupted = InterruptedSession.find(in: state.withLock { $0.plan.store }) != nil
    let isNeeded = state.withLock { state in
      guard state.usesDetectors, state.command != .start, !isInterrupted else { return false }
      state.command = nil
      state.watch = watch
      return state.course.state != .ending
    }
    guard isNeeded else { return state.withLock { $0.watch = nil } }
    await takeInLeftovers(of: recording)
    let looking = Task { await self.look { watch.stop() } }
    let outcome = await Result { try await watch.run() }
    looking.cancel()
    await looking.value
    state.withLock { $0.watch = nil }
    _ = try outcome.get()
  }

  /// Recovers the tail of an interrupted recording. Normally the next recording does so when it
  /// opens the store, but no recording runs while the boards watch for walking.
  private func takeInLeftovers(of recording: RecordingPlan) async {
    guard case .store(let path) = recording.destination else { return }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let thread = try? NamedThread("tail") { [state, reporter] in
        if let recovery = Store.takeInLeftovers(of: path) {
          state.withLock { $0.formerAdditions += 1 }
          reporter.log(LogEvent(recovery))
        }
        continuation.resume()
      }
      guard let thread else { return continuation.resume() }
      thread.letGo()
    }
  }

  private func ended(_ failure: (any Error)?) {
    // If the disk was full, the recording kept its data in memory. Release that memory now.
    ThisProcess.trimMemory()
    let now = BootClock.now()
    let minute = LocalTime.minuteOfDay()
    let reason = failure.map { reporter.explain($0) }
    let isTold = state.withLock { state in
      state.formerAdditions = state.additions + 1
      state.run = nil
      if state.waitsForWalking { state.command = state.command ?? state.standing }
      state.given = nil
      // A pause ends when the walk ends, or when the recording hours end.
      if state.waitsForWalking || !state.wish.wantsRecording(minuteOfDay: minute) {
        state.pausedAt = nil
      }
      state.monitor = RecordingMonitor()
      state.course.ended(failed: failure != nil, at: now)
      if let reason {
        state.failure = Since(.init(text: reason.text, remedy: reason.remedy), at: now)
      }
      state.notePhase(at: now)
      return reason.map { state.reason.tells($0.text, at: now) } ?? false
    }
    if let reason, isTold {
      reporter.log(
        LogEvent(.warning, "recording failed", ["reason": reason.text, "remedy": reason.remedy]))
    }
  }

  /// Stores the boards' names and placements. Called for each recording, because the store may be
  /// new.
  private func noteBoards(of plan: DaemonPlan) {
    do {
      try PlannedBoards(of: plan.nextRecording).note(in: plan.store)
    } catch {
      let (text, remedy) = reporter.explain(error)
      let isTold = state.withLock { $0.boardsReason.tells(text, at: BootClock.now()) }
      guard isTold else { return }
      reporter.log(LogEvent(.warning, "boards not noted", ["reason": text, "remedy": remedy]))
    }
  }

  /// Monitors a recording, or the boards' detectors, until the task is cancelled. Calls `end` when
  /// it must end.
  private func look(end: @Sendable () -> Void) async {
    while (try? await Pause.seconds(Self.lookSeconds)) != nil {
      if look(at: BootClock.now()) == .end { end() }
      if let run = state.withLock({ $0.run }) { await help(run) }
    }
  }

  /// Carries out the recovery steps that are due.
  private func help(_ run: RecordingRun) async {
    let conditions = await run.adapterConditions
    // If a recovery step is impossible, try the next one.
    while true {
      let now = BootClock.now()
      let steps = state.withLock { state -> [Ladders.Step] in
        guard state.course.state == .recording else { return [] }
        let boards = state.monitor.boards(of: state.plan.nextRecording, at: now)
        let known = Dictionary(
          boards.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
        return state.ladders.next(
          conditions, sampleAge: { known[$0]?.sampleAge },
          isAnswering: { known[$0]?.isAnswering ?? false }, receiver: state.receiver(at: now),
          reach: state.plan.recovery, at: now)
      }
      var isSkipped = false
      for step in steps where await !take(step, of: run) {
        state.withLock { $0.ladders.skip(step, at: now) }
        isSkipped = true
      }
      guard isSkipped else { return }
    }
  }

  /// Carries out a recovery step. Returns `false` if the step is impossible.
  private func take(_ step: Ladders.Step, of run: RecordingRun) async -> Bool {
    switch step {
    case .power(let adapter, let reason):
      await run.revive(adapter, resetsPort: false, reason: reason)
      return true
    case .port(let adapter, let reason):
      guard help.canResetPort(of: .adapter(adapter.name)) else { return false }
      await run.revive(adapter, resetsPort: true, reason: reason)
      return true
    case .receiverPort:
      guard let line = state.withLock({ $0.receiverLine }),
        help.canResetPort(of: .receiver(line))
      else { return false }
      // The step may take seconds, and the recording must be checked in the meantime.
      Task { [help] in await help.resetPort(of: .receiver(line)) }
      return true
    }
  }

  private func tell(_ report: RecordingReport) {
    if report.hasSamples { reporter.log(LogEvent(closed: report.session, report.totals)) }
  }

  /// Records, and publishes the position if the plan requires it.
  private func publishing(
    _ run: RecordingRun, _ plan: DaemonPlan,
    _ record: @escaping @Sendable () async throws -> RecordingReport
  ) async throws -> RecordingReport {
    guard let place = PublishedPlace(of: run, plan, reporter) else { return try await record() }
    return try await place.during { () async -> Result<RecordingReport, any Error> in
      await Result { try await record() }
    }.get()
  }
}

extension LiveStatus.Standby {
  /// Whether the status shows that a user stopped a walk's recording.
  fileprivate var showsStop: Bool { isStopped && (isWalk || lead > 0) }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> sending Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
