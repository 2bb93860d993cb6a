public import LinuxSystem
internal import Recording
internal import Storage
public import Values

/// Runs the gateway as a service: records and uploads sessions, and publishes the position, as
/// specified by a plan, until it is stopped. The components are independent: the failure of one
/// never stops another.
public final class GatewayDaemon: Sendable {
  private struct State: Sendable {
    var plan: DaemonPlan
    var life = SignOfLife()
    /// The last status sentence sent to the service manager.
    var sentence = ""
    /// The reason why the configuration was not reloaded, and the time of the last attempt.
    var refusal: Since<LiveStatus.Obstacle>?
    /// The reason why the page is not served, and the time of the first failure.
    var missingPage: Since<LiveStatus.Obstacle>?
    /// The reason why recordings would not survive a computer restart.
    var volatileStore: Since<LiveStatus.Obstacle>?
    /// The configured destinations that were missing from the store at the last check.
    var unknownDestinations: [String] = []
  }

  /// Seconds between checks of all components. This is also the shortest interval between reports
  /// to the service manager.
  private static let pulseSeconds = 1.0
  /// Seconds between checks while no recording is wanted.
  private static let idleSeconds = 2.0

  /// Number of checks before the daemon releases the memory used during startup.
  private static let lookAfterStart = 3

  private let manager: ServiceManager
  private let reporter: DaemonReporter
  private let version: String
  private let start = BootClock.now()
  private let state: Guarded<State>
  private let recording: RecordingKeeper
  private let uploads: UploadKeeper
  private let definitions: DefinitionsKeeper?
  private let sharing: SharingKeeper
  private let survey = StoreSurvey()
  private let nap = Nap()

  /// Creates a daemon. If `definitions` is `nil`, the daemon never pulls definitions. It may reset
  /// the USB ports in `ports`.
  public init(
    _ plan: DaemonPlan, version: String, _ manager: ServiceManager, _ reporter: DaemonReporter,
    definitions: DaemonDefinitions? = nil, ports: USBPorts = USBPorts()
  ) {
    self.manager = manager
    self.reporter = reporter
    self.version = version
    state = Guarded(State(plan: plan))
    let recording = RecordingKeeper(plan, ports, reporter)
    self.recording = recording
    uploads = UploadKeeper(plan, reporter) { recording.isRecording }
    self.definitions = definitions.map { DefinitionsKeeper(plan, $0, reporter) }
    sharing = SharingKeeper(plan, reporter)
  }

  /// Runs until `stop` is called and returns once everything is closed.
  public func run() async {
    manager.tell(.ready)
    await withDiscardingTaskGroup { group in
      group.addTask { await self.recording.keep() }
      group.addTask { await self.uploads.keep() }
      group.addTask { await self.definitions?.keep() }
      group.addTask { await self.pulse() }
    }
    await sharing.end()
  }

  /// Requests a clean shutdown, after which `run` returns.
  public func stop() {
    manager.tell(.stopping)
    nap.end()
    recording.stop()
    uploads.stop()
    definitions?.stop()
  }

  /// Applies a new configuration. If `keepsRecording` is true, a running recording continues.
  /// Otherwise, the recording is closed, and the next one starts with the new configuration.
  public func take(_ plan: DaemonPlan, keepsRecording: Bool) {
    manager.tell(.reloading)
    state.withLock { state in
      state.plan = plan
      state.refusal = nil
    }
    recording.take(plan, keepsRecording: keepsRecording)
    uploads.take(plan)
    definitions?.take(plan)
    sharing.take(plan)
    manager.tell(.ready)
  }

  /// Records that a new configuration was rejected as invalid. The status shows the reason until
  /// another configuration is accepted.
  public func refuseConfiguration(_ text: String, remedy: String) {
    let refusal = Since(LiveStatus.Obstacle(text: text, remedy: remedy), at: BootClock.now())
    state.withLock { $0.refusal = refusal }
  }

  /// Records the reason why the page is not served, or `nil` if it is served.
  public func note(missingPage: (text: String, remedy: String)?) {
    let now = BootClock.now()
    state.withLock { state in
      let since = state.missingPage?.start ?? now
      state.missingPage = missingPage.map {
        Since(LiveStatus.Obstacle(text: $0.text, remedy: $0.remedy), at: since)
      }
    }
  }

  /// Records that recordings would not survive a computer restart.
  public func note(volatileStore: (text: String, remedy: String)) {
    let obstacle = LiveStatus.Obstacle(text: volatileStore.text, remedy: volatileStore.remedy)
    state.withLock { [start] in $0.volatileStore = Since(obstacle, at: start) }
  }

  /// Carries out a user's command to start or stop recording. Returns whether a session was open.
  @discardableResult
  public func take(_ command: RecordingWish.Command) -> Bool { recording.take(command) != nil }

  /// Starts recording a participant. The choice of participant applies until the recording is
  /// stopped. Throws `Participant.Unknown` if the definitions do not list the participant, and
  /// `OtherParticipant` if a session with another participant is open.
  public func start(participant id: String) throws {
    let participant = try recording.participant(id)
    if let open = recording.take(.start, participant), open.participant != participant.id {
      throw OtherParticipant(recorded: open.participant)
    }
  }

  /// The error for a request to record one participant while another participant's session is open.
  public struct OtherParticipant: Remediable, Hashable {
    let recorded: String?

    public var message: String {
      "a session \(recorded.map { "of '\($0)'" } ?? "without a participant") is being recorded"
    }
    public var remedy: String { "stop the recording, and then start it again" }
  }

  /// Pauses or resumes the recording at a user's request. Returns `false` if there is no recording.
  public func pause(_ isPaused: Bool) -> Bool { recording.pause(isPaused) }

  /// Records whether someone is watching the live samples. If so, the reader and the recorder wake
  /// ten times per second.
  public func watch(_ isWatched: Bool) { recording.watch(isWatched) }

  /// Returns the samples that have arrived since the last call, in columns that each cover a tenth
  /// of a second. Empty unless someone is watching.
  public func takeNewColumns() -> [LiveStreamColumns] { recording.takeNewColumns() }

  public var live: LiveStatus? { recording.live }

  /// The positions of the fleet's other gateways. Empty unless this gateway shares its own
  /// position.
  public var others: [OtherGateway] { sharing.others(at: BootClock.now()) }

  public var status: GatewayStatus {
    let now = BootClock.now()
    var status = GatewayStatus(
      version: version, uptime: now.seconds(since: start),
      recording: GatewayStatus.Recording(phase: .waiting, phaseAge: 0, rule: RecordingWish.Rule()),
      clock: GatewayStatus.Clock(
        isSynchronised: BootClock.isSystemTimeSynchronised,
        uncertainty: BootClock.systemTimeUncertainty))
    recording.describe(into: &status, at: now)
    let (plan, refusal, page, volatile) = state.withLock {
      ($0.plan, $0.refusal, $0.missingPage, $0.volatileStore)
    }
    status.refusedConfiguration = refusal.map { GatewayStatus.Failure($0, at: now) }
    status.missingPage = page.map { GatewayStatus.Failure($0, at: now) }
    status.volatileStore = volatile.map { GatewayStatus.Failure($0, at: now) }
    survey.describe(into: &status, of: plan, uploads: uploads.isAllowed, at: now)
    sharing.describe(into: &status, at: now)
    status.judge()
    return status
  }

  /// Checks all components every one or two seconds, and reports their state to the service
  /// manager.
  private func pulse() async {
    var lastSign = BootTime(nanoseconds: 0)
    var looks = 0
    while !nap.isOver {
      let now = BootClock.now()
      survey.look(
        at: state.withLock { $0.plan.store }, session: recording.openSession, now: now)
      if let stored = survey.takeParticipant() {
        recording.note(stored.participant, of: stored.session)
      }
      let (samples, isLinked, additions) = recording.flow()
      uploads.note(additions: additions)
      let works = state.withLock { $0.life.works(samples: samples, isLinked: isLinked, at: now) }
      if let interval = manager.watchdogSeconds, works,
        now.seconds(since: lastSign) >= interval / 12
      {
        lastSign = now
        manager.tell(.watchdog)
      }
      let status = self.status
      sharing.note(status, recording.fix, at: now)
      tell(ofUnknown: status.unknownDestinations)
      let sentence = status.sentence
      let isNew = state.withLock { state in
        defer { state.sentence = sentence }
        return sentence != state.sentence
      }
      if isNew { manager.tell(.status(sentence)) }
      looks += 1
      if looks == Self.lookAfterStart { ThisProcess.trimMemory() }
      let isIdle = status.recording.phase == .waiting
      await nap.seconds(isIdle ? Self.idleSeconds : Self.pulseSeconds)
    }
  }

  /// Logs a warning for each configured destination that has gone missing from the store since the
  /// last check.
  private func tell(ofUnknown destinations: [String]) {
    let known = state.withLock { state in
      defer { state.unknownDestinations = destinations }
      return state.unknownDestinations
    }
    for name in destinations where !known.contains(name) {
      reporter.log(
        LogEvent(
          .warning, "unknown destination",
          ["destination": name, "remedy": StoredDestination.addition(of: name)]))
    }
  }
}
