internal import Positioning
internal import Recording
internal import Values

/// Decides when sessions begin and end while boards stream all the time: when someone walks or
/// rests, or when a user requests it. The caller supplies the time.
///
/// A session begins when a user requests it, or once walking exceeds rest by the configured number
/// of seconds (the lead time). If no board sends samples, or a required receiver is missing, the
/// session is refused until that changes. A session ends when a user requests it, or once rest
/// exceeds walking by the lead time. If a user requests a session while the wearer rests after a
/// walk, the open session ends and a new one begins. A session that a user requested does not end
/// automatically.
struct WalkingRule: Sendable {
  enum Action: Hashable, Sendable {
    /// Begin a session with this step, or now if it is `nil`.
    case begin(WalkingWatch.Step?)
    case end
  }

  /// The minimum time between two reported refusals, in seconds.
  static let noticeSeconds = 300.0
  /// Seconds of samples needed to recognise walking.
  static let recognitionSeconds = 10.0

  private(set) var watch: WalkingWatch
  private var wish: RecordingWish
  private var waitsForReceiver: Bool
  /// The receiver's state, or `nil` if the recording has no receiver.
  private var receiver: ReceiverState?
  /// The first step of the current walk, once the walk has lasted long enough to begin a session.
  private var step: WalkingWatch.Step?
  /// The reason why a session that is wanted does not begin. `nil` if no session is wanted or one
  /// is open.
  private(set) var refusal: LiveStatus.Obstacle?
  private var lastNotice: BootTime?
  /// Whether a user stopped a walk's recording before the walk was recognised or had lasted long
  /// enough to begin a session.
  private var isWalkRefused = false
  /// The time when samples were first inspected, and the stop command's time.
  private var heardSince: BootTime?
  private var stoppedAt: BootTime?
  /// Whether the next session continues an interrupted walk.
  private var isWalkExpected = false
  /// Whether the open session must end because a user requested another session.
  private var beginsAnother = false

  init(_ settings: WalkingSettings, hasReceiver: Bool) {
    watch = WalkingWatch(lead: settings.lead)
    wish = RecordingWish(RecordingWish.Rule(.walking))
    waitsForReceiver = settings.withoutReceiver == .wait
    receiver = hasReceiver ? .searching : nil
  }

  /// Applies new settings. A walk that has already lasted long enough to begin a session still
  /// counts, and a user's command still applies.
  mutating func change(to settings: WalkingSettings) {
    watch.change(lead: settings.lead)
    waitsForReceiver = settings.withoutReceiver == .wait
  }

  /// Whether a user requested the session.
  var isStarted: Bool { wish.isStarted && !beginsAnother }

  /// Whether a user stopped this walk's recording.
  var isStopped: Bool { isWalkRefused || wish.isStopped && watch.isOn }

  mutating func add(_ board: RegisteredBoard) { watch.add(board) }

  /// Continues a walk that an interrupted recorder was recording: the session begins with the first
  /// sample if it arrives before `time`. If `time` is `nil`, the walk is over.
  mutating func expectWalk(until time: BootTime?) {
    watch.expectWalk(until: time)
    isWalkExpected = time != nil
  }

  mutating func note(_ state: ReceiverState) {
    if receiver != nil { receiver = state }
  }

  mutating func obey(_ command: RecordingWish.Command) {
    // A start immediately after a stop also begins another session.
    beginsAnother =
      beginsAnother || command == .stop
      || command == .start && !wish.isStarted && watch.isOn && !watch.isWalking
    wish.take(command, ruleSays: watch.isOn)
    isWalkRefused = command == .stop
    stoppedAt = nil
  }

  /// Applies a stop command to a walk that has not lasted long enough to begin a session, until
  /// that walk is over.
  private mutating func followRefusedWalk(at now: BootTime) {
    if heardSince == nil, watch.isHeard { heardSince = now }
    guard isWalkRefused else { return }
    let stoppedAt = stoppedAt ?? now
    self.stoppedAt = stoppedAt
    if watch.isOn { wish.take(.stop, ruleSays: true) }
    // A walk is recognised several seconds after its first step, so a walk that began before the
    // stop command may not be recognised yet.
    let isKnown =
      heardSince.map { now.seconds(since: max($0, stoppedAt)) >= Self.recognitionSeconds } ?? false
    isWalkRefused = !watch.isOn && (watch.leadSeconds > 0 || !isKnown)
  }

  /// Checks a reading for signs of walking.
  mutating func look(at reading: Reading) {
    guard let step = watch.take(reading) else { return }
    // If a step is already set, another board detected the walk earlier.
    if self.step == nil { self.step = step }
  }

  /// Returns the action that is due. No session begins unless `mayBegin` is true.
  mutating func next(isOpen: Bool, mayBegin: Bool, at now: BootTime) -> Action? {
    watch.look(at: now)
    followRefusedWalk(at: now)
    let endsForAnother = beginsAnother
    beginsAnother = false
    let isAsked = !watch.isOn
    guard wish.wantsRecording(ruleSays: watch.isOn) else {
      refusal = nil
      if !watch.isOn { step = nil }
      if isOpen { watch.endExpectation() }
      return isOpen ? .end : nil
    }
    guard !isOpen else {
      // Another board detected the walk after the session had begun. No new session begins with
      // that step.
      step = nil
      return endsForAnother ? .end : nil
    }
    refusal = presentRefusal
    guard refusal == nil, mayBegin else { return nil }
    defer { (step, isWalkExpected) = (nil, false) }
    return .begin(isAsked ? nil : step)
  }

  /// Returns the refusal, unless one was reported in the last five minutes.
  mutating func notice(at now: BootTime) -> LiveStatus.Obstacle? {
    guard let refusal,
      lastNotice.map({ now.seconds(since: $0) >= Self.noticeSeconds }) ?? true
    else { return nil }
    lastNotice = now
    return refusal
  }

  private var presentRefusal: LiveStatus.Obstacle? {
    guard watch.isHeard else {
      return LiveStatus.Obstacle(
        text: "no board is sending samples",
        remedy: "press the boards' buttons, and move them closer")
    }
    guard waitsForReceiver, !isWalkExpected, let receiver, receiver == .searching || receiver.isLoss
    else {
      return nil
    }
    return LiveStatus.Obstacle(
      text: "the receiver is missing (\(receiver.rawValue))",
      remedy: "connect it, or set 'without-receiver = record' in [recording]")
  }
}
