internal import Positioning
internal import Recording
internal import Values

/// Decides when sessions begin and end while boards stream all the time: with walking, or by a
/// person's command. It reads no clock.
///
/// Without an open session → `.begin` once walking leads or someone asks for a session. If
/// something is missing, the rule refuses, and begins once it is present. With an open session →
/// `.end` once rest leads or someone asks for it. It also ends if someone asks for a session while
/// the wearer rests after a walk, since that request means a new session. A session that someone
/// asked for does not end by itself.
struct WalkingRule: Sendable {
  enum Action: Hashable, Sendable {
    /// Begin a session with this step; `nil` to begin now.
    case begin(WalkingWatch.Step?)
    case end
  }

  /// Seconds between two notices of a refusal.
  static let noticeSeconds = 300.0
  /// Seconds of samples after which walking is recognised.
  static let recognitionSeconds = 10.0

  private(set) var watch: WalkingWatch
  private var wish: RecordingWish
  private var waitsForReceiver: Bool
  /// `nil` if the recording has no receiver.
  private var receiver: ReceiverState?
  /// The first step of the leading walk.
  private var step: WalkingWatch.Step?
  /// The reason why no session begins although one is wanted; `nil` if none is wanted or one is
  /// open.
  private(set) var refusal: LiveStatus.Obstacle?
  private var lastNotice: BootTime?
  /// Whether a person stopped the recording of a walk that does not lead or show yet.
  private var isWalkRefused = false
  /// The time of the first inspected samples, and the time of a stop.
  private var heardSince: BootTime?
  private var stoppedAt: BootTime?
  /// Whether the next session continues an interrupted walk.
  private var isWalkExpected = false
  /// Whether the open session must end, since a person asked for another one.
  private var beginsAnother = false

  init(_ settings: WalkingSettings, hasReceiver: Bool) {
    watch = WalkingWatch(lead: settings.lead)
    wish = RecordingWish(RecordingWish.Rule(.walking))
    waitsForReceiver = settings.withoutReceiver == .wait
    receiver = hasReceiver ? .searching : nil
  }

  /// Decides by other settings from now on. A leading walk and a person's command still count.
  mutating func change(to settings: WalkingSettings) {
    watch.change(lead: settings.lead)
    waitsForReceiver = settings.withoutReceiver == .wait
  }

  /// Whether a person asked for the session.
  var isStarted: Bool { wish.isStarted && !beginsAnother }

  /// Whether a person stopped the recording of this walk.
  var isStopped: Bool { isWalkRefused || wish.isStopped && watch.isOn }

  mutating func add(_ board: RegisteredBoard) { watch.add(board) }

  /// Makes the session begin with the first sample, since a recorder was interrupted during a walk.
  /// With `nil`, that walk is over.
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

  /// Makes a stop from before a walk led hold until that walk is over.
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

  /// Inspects a reading for walking.
  mutating func look(at reading: Reading) {
    guard let step = watch.take(reading) else { return }
    // The walk already leads on another board.
    if self.step == nil { self.step = step }
  }

  /// The action that is due. No session begins unless `mayBegin`.
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

  /// The refusal, if it must be reported now: at once, and then every five minutes.
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
