internal import LinuxSystem
internal import Positioning
internal import Recording
internal import Values

/// Stores the state of a daemon's recording and updates it when a command or a new configuration
/// arrives.
struct KeptRecording: Sendable {
  /// The open session.
  struct OpenSession: Hashable, Sendable {
    var id: UniqueID
    /// The pseudonym of the session's participant.
    var participant: String?
  }

  /// Ends the current recording or watch. Must not be called while holding the lock.
  typealias Stop = @Sendable () -> Void

  var plan: DaemonPlan
  var wish: RecordingWish
  var course: RecordingCourse
  var monitor = RecordingMonitor()
  var ladders = Ladders()
  var phase: Since<GatewayStatus.Phase>
  var run: RecordingRun?
  /// The watch that uses the boards' own detectors, or `nil` while it is not running.
  var watch: DetectorWatch?
  var turn = DetectorTurn()
  var failure: Since<LiveStatus.Obstacle>?
  var reason = RepeatedReason()
  /// Reasons, already logged, why the boards' names could not be stored. Kept separate from the
  /// reasons for failed recordings, because a recording may fail for the same reason.
  var boardsReason = RepeatedReason()
  /// The number of additions to the store before the current recording: chunks, recovered
  /// recordings, and ended recordings. An ended recording counts, because the rest of its session
  /// is then ready to upload.
  var formerAdditions: UInt64 = 0
  /// A command to pass to the next recording, which starts and ends its own sessions.
  var command: RecordingWish.Command?
  /// The participant that a user named when starting the recording. `nil` once the recording is
  /// stopped.
  var chosen: Participant?
  /// Whether `chosen` was read from an interrupted session. In that case, the participant may have
  /// come from the configuration rather than from a user.
  var isChoiceAssumed = false
  /// Whether someone is watching the live samples.
  var isWatched = false
  /// The last command passed to the current recording.
  var given: RecordingWish.Command?
  /// The time when a user paused the recording, or `nil` if it is not paused. A pause carries over
  /// to the next recording only while recording is wanted, and never under the rule `walking`.
  var pausedAt: BootTime?

  /// Whether walking determines when sessions start and end.
  var waitsForWalking: Bool { wish.rule.time == .walking }

  /// The command that the next recording inherits unless a newer command arrives: a start, or a
  /// stop during a walk that continues.
  var standing: RecordingWish.Command? {
    given == .stop && monitor.live.standby?.isStopped != true ? nil : given
  }

  var additions: UInt64 {
    formerAdditions + monitor.chunks + (run?.hasRecovered == true ? 1 : 0)
  }

  /// The participant for sessions that start now.
  var participant: Participant? { chosen ?? plan.usualParticipant }

  /// The open session, or `nil` if there is none. A session that is being closed is not open.
  var openSession: OpenSession? {
    let isClosing = course.state == .ending || waitsForWalking && given == .stop
    guard !isClosing, let live = run?.liveStatus, let session = live.session else { return nil }
    return OpenSession(id: session, participant: live.participant)
  }

  mutating func give(_ command: RecordingWish.Command) {
    run?.take(command)
    given = command
  }

  /// The path of the receiver's serial line, or `nil` if it has none.
  var receiverLine: String? {
    guard case .serial(let path, _) = plan.recording.receiver else { return nil }
    return PathPattern.matches(path).first
  }

  /// `nil` if the receiver is not on a serial line, or its state is not known yet.
  func receiver(at now: BootTime) -> Ladders.ReceiverCondition? {
    guard case .serial = plan.recording.receiver, let state = monitor.live.receiver else {
      return nil
    }
    return Ladders.ReceiverCondition(
      state: state,
      age: monitor.receiver(of: plan.recording, at: now)?.stateAge ?? 0)
  }

  /// Whether the boards' own detectors watch for walking between sessions.
  var usesDetectors: Bool { waitsForWalking && plan.walking.detector == .board }

  var stop: Stop {
    { [run, watch] in
      run?.stop()
      watch?.stop()
    }
  }

  /// Carries out a user's command to start or stop recording. Returns the open session (`nil` if
  /// there was none) and, if the current recording must end, a closure that ends it.
  ///
  /// A participant applies to all sessions from this start command until the next stop command. If
  /// a session with another participant is open, the command has no effect.
  mutating func take(
    _ command: RecordingWish.Command, _ participant: Participant?, minuteOfDay: Int,
    at now: BootTime
  ) -> (open: OpenSession?, stop: Stop?) {
    let open = openSession
    if let participant, let open, open.participant != participant.id { return (open, nil) }
    if command == .stop || open == nil {
      chosen = command == .start ? participant : nil
      isChoiceAssumed = false
      run?.take(self.participant)
    }
    pausedAt = nil
    run?.pause(false, at: now)
    if !waitsForWalking {
      wish.take(command, minuteOfDay: minuteOfDay)
      // The recording ends now, because a restart immediately afterwards must begin a new session.
      guard command == .stop, course.end() == .end else { return (open, nil) }
      notePhase(at: now)
      return (open, stop)
    }
    // While the boards watch for walking, there is no session to stop.
    if run != nil {
      give(command)
    } else if watch == nil || self.command != nil || command == .start {
      // A new command replaces a pending start command, even if the boards' detectors are still
      // watching for walking.
      self.command = command
      return (open, stop)
    }
    return (open, nil)
  }

  /// Applies the participant stored for a session. A user may have changed this participant. If a
  /// user started the session, the change also applies to later sessions until the next stop
  /// command.
  mutating func note(_ participant: Participant?, of session: UniqueID) {
    guard let open = openSession, open.id == session, open.participant != participant?.id else {
      return
    }
    if chosen != nil || wish.rule.time == .command {
      chosen = participant
      isChoiceAssumed = false
      run?.take(self.participant)
    }
    run?.correct(participant, of: session)
  }

  /// Pauses or resumes the recording. Returns `false` if there is nothing to pause.
  mutating func pause(_ isPaused: Bool, minuteOfDay: Int, at now: BootTime) -> Bool {
    // If the recording reaches its maximum length, the pause also applies to the next recording.
    let isRecording =
      waitsForWalking
      ? run?.liveStatus.session != nil
      : course.state != .idle
        && (course.state != .ending || wish.wantsRecording(minuteOfDay: minuteOfDay))
    guard isRecording else { return false }
    pausedAt = isPaused ? pausedAt ?? now : nil
    run?.pause(isPaused, at: now)
    return true
  }

  /// Applies a new configuration. Returns a closure that ends the current recording, unless
  /// `keepsRecording` is true or there is none.
  mutating func take(_ plan: DaemonPlan, keepsRecording: Bool) -> Stop? {
    if plan.rule.effect != self.plan.rule.effect { wish = RecordingWish(plan.rule) }
    if keepsRecording, plan.rule.time == .walking { run?.take(plan.walking) }
    if isChoiceAssumed, plan.participant != self.plan.participant { chosen = nil }
    course.reconfigure(longestSession: plan.sessionSeconds)
    self.plan = plan
    if keepsRecording { run?.take(participant) }
    return !keepsRecording && course.end() == .end ? stop : nil
  }

  /// Determines the phase from the rest of the state.
  mutating func notePhase(at now: BootTime) {
    let phase: GatewayStatus.Phase =
      switch course.state {
      case .idle: .waiting
      case .recording where monitor.live.session != nil: .recording
      case .recording where monitor.samples > 0 || monitor.isWatching: .standby
      // Consecutive attempts to record are treated as one state, which began with the first
      // failure.
      case .recording: course.failures > 0 ? .retrying : .starting
      case .resting: .retrying
      case .ending: .ending
      }
    self.phase.note(phase, at: now)
  }
}
