internal import Positioning
internal import Recording
internal import Values

/// Decides when sessions begin and end while boards stream all the time: with walking, or by a
/// person's command. A value without clock.
///
/// No session is open → `.begin` when walking leads or somebody asks for one, unless something is
/// missing: then the rule refuses, and begins as soon as it is there. A session is open → `.end`
/// when rest leads or somebody asks for it, and also when somebody asks for a session while the
/// wearer rests after a walk: that one has to be another. A session that somebody asked for does
/// not end by itself.
struct WalkingRule: Sendable {
  enum Action: Hashable, Sendable {
    /// Begin a session with this step; `nil` to begin with the present.
    case begin(WalkingWatch.Step?)
    case end
  }

  /// Seconds from one notice of a refusal to the next.
  static let noticeSeconds = 300.0
  /// Seconds of samples after which it is known whether somebody walks.
  static let recognitionSeconds = 10.0

  private(set) var watch: WalkingWatch
  private var wish: RecordingWish
  private var waitsForReceiver: Bool
  /// State of the receiver; `nil` where the recording has none.
  private var receiver: ReceiverState?
  /// The first step of the walk that leads.
  private var step: WalkingWatch.Step?
  /// Why no session begins although one is wanted; `nil` if none is wanted or one is open.
  private(set) var refusal: LiveStatus.Obstacle?
  private var lastNotice: BootTime?
  /// Whether a person stopped the recording of a walk that does not lead yet, or does not show yet.
  private var isWalkRefused = false
  /// When the first samples were looked at, and when a stop was.
  private var heardSince: BootTime?
  private var stoppedAt: BootTime?
  /// Whether the session that begins goes on with a walk that was cut off.
  private var isWalkExpected = false
  /// Whether the open session has to end, since a person asked for another one.
  private var beginsAnother = false

  /// A rule that has seen nothing yet.
  init(_ settings: WalkingSettings, hasReceiver: Bool) {
    watch = WalkingWatch(lead: settings.lead)
    wish = RecordingWish(RecordingWish.Rule(.walking))
    waitsForReceiver = settings.withoutReceiver == .wait
    receiver = hasReceiver ? .searching : nil
  }

  /// Decides by other settings from now on. A walk that leads, and a person's command, still count.
  mutating func change(to settings: WalkingSettings) {
    watch.change(lead: settings.lead)
    waitsForReceiver = settings.withoutReceiver == .wait
  }

  /// Whether a person asked for the session.
  var isStarted: Bool { wish.isStarted && !beginsAnother }

  /// Whether a person stopped the recording of this walk.
  var isStopped: Bool { isWalkRefused || wish.isStopped && watch.isOn }

  mutating func add(_ board: RegisteredBoard) { watch.add(board) }

  /// Has the session begin with the first sample, since a recorder was cut off in the midst of a
  /// walk. With `nil`, that walk is over.
  mutating func expectWalk(until time: BootTime?) {
    watch.expectWalk(until: time)
    isWalkExpected = time != nil
  }

  mutating func note(_ state: ReceiverState) {
    if receiver != nil { receiver = state }
  }

  mutating func obey(_ command: RecordingWish.Command) {
    beginsAnother = command == .start && !wish.isStarted && watch.isOn && !watch.isWalking
    wish.take(command, ruleSays: watch.isOn)
    isWalkRefused = command == .stop
    stoppedAt = nil
  }

  /// Has a stop from before a walk led hold until that walk is over.
  private mutating func followRefusedWalk(at now: BootTime) {
    if heardSince == nil, watch.isHeard { heardSince = now }
    guard isWalkRefused else { return }
    let stoppedAt = stoppedAt ?? now
    self.stoppedAt = stoppedAt
    if watch.isOn { wish.take(.stop, ruleSays: true) }
    // A walk shows seconds after its first step.
    let isKnown =
      heardSince.map { now.seconds(since: max($0, stoppedAt)) >= Self.recognitionSeconds } ?? false
    isWalkRefused = !watch.isOn && (watch.leadSeconds > 0 || !isKnown)
  }

  /// Looks at a reading for walking.
  mutating func look(at reading: Reading) {
    guard let step = watch.take(reading) else { return }
    // The walk leads on another board already.
    if self.step == nil { self.step = step }
  }

  /// The action that is due; no session begins unless it `mayBegin`.
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
      // With this step, the walk of the open session led on another board.
      step = nil
      return endsForAnother ? .end : nil
    }
    refusal = presentRefusal
    guard refusal == nil, mayBegin else { return nil }
    defer { (step, isWalkExpected) = (nil, false) }
    return .begin(isAsked ? nil : step)
  }

  /// The refusal, if it has to be told now: at once, and then every five minutes.
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
        text: "no board sends samples", remedy: "press the boards' buttons, and bring them nearer")
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
