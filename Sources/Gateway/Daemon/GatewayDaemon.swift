public import LinuxSystem
internal import Values

/// The gateway as a service: records, uploads and publishes the position by its plan, each part by
/// itself, so that the failure of one never ends another, until it is stopped.
public final class GatewayDaemon: Sendable {
  private struct State: Sendable {
    var plan: DaemonPlan
    var life = SignOfLife()
    /// The last sentence that the service manager was told.
    var sentence = ""
  }

  /// Seconds between two looks at all parts, and two signs of life at most.
  private static let pulseSeconds = 1.0

  private let manager: ServiceManager
  private let voice: DaemonVoice
  private let version: String
  private let start = BootClock.now()
  private let state: Guarded<State>
  private let recording: RecordingKeeper
  private let uploads: UploadKeeper
  private let survey = StoreSurvey()
  private let nap = Nap()

  /// A daemon that has not begun.
  public init(
    _ plan: DaemonPlan, version: String, _ manager: ServiceManager, _ voice: DaemonVoice
  ) {
    self.manager = manager
    self.voice = voice
    self.version = version
    state = Guarded(State(plan: plan))
    let recording = RecordingKeeper(plan, voice)
    self.recording = recording
    uploads = UploadKeeper(plan, voice) { recording.isRecording }
  }

  /// Works until `stop`, and returns when everything is closed.
  public func run() async {
    manager.tell(.ready)
    await withDiscardingTaskGroup { group in
      group.addTask { await self.recording.keep() }
      group.addTask { await self.uploads.keep() }
      group.addTask { await self.pulse() }
    }
  }

  /// Ends all parts in order.
  public func stop() {
    manager.tell(.stopping)
    nap.end()
    recording.stop()
    uploads.stop()
  }

  /// Takes a new configuration. A recording goes on if `keepsRecording`; otherwise it is closed,
  /// and the next one begins with the new configuration.
  public func take(_ plan: DaemonPlan, keepsRecording: Bool) {
    manager.tell(.reloading)
    state.withLock { $0.plan = plan }
    recording.take(plan, keepsRecording: keepsRecording)
    uploads.take(plan)
    manager.tell(.ready)
  }

  /// Takes a person's command.
  public func take(_ command: RecordingWish.Command) {
    recording.take(command)
  }

  /// The daemon at this moment.
  public var status: GatewayStatus {
    let now = BootClock.now()
    var status = GatewayStatus(
      version: version, uptime: now.seconds(since: start),
      recording: GatewayStatus.Recording(phase: .waiting, phaseAge: 0, rule: ""),
      clock: GatewayStatus.Clock(
        isSynchronised: BootClock.isSystemTimeSynchronised,
        uncertainty: BootClock.systemTimeUncertainty))
    recording.describe(into: &status, at: now)
    let plan = state.withLock { $0.plan }
    survey.describe(into: &status, of: plan, uploads: uploads.isAllowed, at: now)
    status.judge()
    return status
  }

  /// Looks at all parts each second, and tells the service manager how they do.
  private func pulse() async {
    var lastSign = BootTime(nanoseconds: 0)
    while !nap.isOver {
      let now = BootClock.now()
      survey.look(at: state.withLock { $0.plan.store }, now: now)
      let (samples, sending, chunks) = recording.flow()
      uploads.note(chunks: chunks)
      let works = state.withLock { $0.life.works(samples: samples, sending: sending, at: now) }
      if let interval = manager.watchdogSeconds, works,
        now.seconds(since: lastSign) >= interval / 4
      {
        lastSign = now
        manager.tell(.watchdog)
      }
      let sentence = status.sentence
      let isNew = state.withLock { state in
        defer { state.sentence = sentence }
        return sentence != state.sentence
      }
      if isNew { manager.tell(.status(sentence)) }
      await nap.seconds(Self.pulseSeconds)
    }
  }
}
