public import LinuxSystem
internal import Storage
internal import Values

/// The gateway as a service: records, uploads and publishes the position by its plan, each part by
/// itself, so that the failure of one never ends another, until it is stopped.
public final class GatewayDaemon: Sendable {
  private struct State: Sendable {
    var plan: DaemonPlan
    var life = SignOfLife()
    /// The last sentence that the service manager was told.
    var sentence = ""
    /// Why the configuration was not read again, and since when.
    var refusal: Since<LiveStatus.Obstacle>?
    /// Why the page is not served, and since when.
    var missingPage: Since<LiveStatus.Obstacle>?
    /// Why recordings do not outlast the computer's next start.
    var volatileStore: Since<LiveStatus.Obstacle>?
    /// The destinations that the store did not know at the last look.
    var unknownDestinations: [String] = []
  }

  /// Seconds between two looks at all parts, and two signs of life at most.
  private static let pulseSeconds = 1.0
  /// The same while no recording is wanted.
  private static let idleSeconds = 2.0

  /// The look after which the memory of the start is returned.
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

  /// A daemon that has not begun. Without `definitions` it pulls none. It may reset the `ports`.
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

  /// Works until `stop`, and returns when everything is closed.
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

  /// Ends all parts in order.
  public func stop() {
    manager.tell(.stopping)
    nap.end()
    recording.stop()
    uploads.stop()
    definitions?.stop()
  }

  /// Takes a new configuration. A recording goes on if `keepsRecording`; otherwise it is closed,
  /// and the next one begins with the new configuration.
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

  /// Notes that a new configuration has faults, and so was not taken. The status names them until
  /// another is taken.
  public func refuseConfiguration(_ text: String, remedy: String) {
    let refusal = Since(LiveStatus.Obstacle(text: text, remedy: remedy), at: BootClock.now())
    state.withLock { $0.refusal = refusal }
  }

  /// Notes why the page is not served; `nil` if it is.
  public func note(missingPage: (text: String, remedy: String)?) {
    let now = BootClock.now()
    state.withLock { state in
      let since = state.missingPage?.start ?? now
      state.missingPage = missingPage.map {
        Since(LiveStatus.Obstacle(text: $0.text, remedy: $0.remedy), at: since)
      }
    }
  }

  /// Notes that recordings do not outlast the computer's next start.
  public func note(volatileStore: (text: String, remedy: String)) {
    let obstacle = LiveStatus.Obstacle(text: volatileStore.text, remedy: volatileStore.remedy)
    state.withLock { [start] in $0.volatileStore = Since(obstacle, at: start) }
  }

  /// Takes a person's command. Returns whether a session was open.
  @discardableResult
  public func take(_ command: RecordingWish.Command) -> Bool { recording.take(command) }

  /// Pauses the recording for a person, or goes on with it; `false` if there is none.
  public func pause(_ isPaused: Bool) -> Bool { recording.pause(isPaused) }

  /// Notes whether somebody watches the samples come. Reader and recorder then wake ten times a
  /// second.
  public func watch(_ isWatched: Bool) { recording.watch(isWatched) }

  /// The samples since the last call, while somebody watches, in columns of a tenth of a second.
  public func takeNewColumns() -> [LiveStreamColumns] { recording.takeNewColumns() }

  /// The recording under way at this moment; `nil` without one.
  public var live: LiveStatus? { recording.live }

  /// The daemon at this moment.
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

  /// Looks at all parts each second, and tells the service manager how they do.
  private func pulse() async {
    var lastSign = BootTime(nanoseconds: 0)
    var looks = 0
    while !nap.isOver {
      let now = BootClock.now()
      survey.look(at: state.withLock { $0.plan.store }, now: now)
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

  /// Logs the destinations that the configuration names and the store does not know, once each.
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
