public import MetaWearProtocol
public import Values

/// One board's session as a value: events in, actions out, no clock and no waiting.
///
/// `idle` → `working` through a list of steps (identify the modules one by one, read the clock,
/// stop leftovers of an earlier connection, configure each sensor and read it back, make what
/// counts its samples or asks for them, arm the disconnect event) → `ready` → `running` →
/// `stopping` → ended. When the link goes away, `relinking` → `working` through the steps again →
/// `running`. Every state may end in a failure that is explained.
public struct BoardSession: Sendable {
  /// What happened.
  public enum Event: Sendable {
    /// A link is up and notifications are enabled.
    case subscribed(DeviceInformation)
    /// A notification that is no sample of a running stream.
    case packet([UInt8])
    /// A packet of a running stream that could not be read, which is counted already, or that was
    /// longer than the board's packets are.
    case malformed([UInt8])
    /// The wait asked for last is over.
    case timeout
    /// The packets of each stream so far, as `observe` asked.
    case progress([UInt64])
    /// Another board is being linked, for which this one may fall behind.
    case disturbed
    /// Everybody is ready: the sensors may start.
    case start
    /// The user wants it to end.
    case stop
    /// The link is gone.
    case linkLost
    /// There will be no other link.
    case abandoned(BoardFailure)
    /// Something that bears on the pace of the link.
    case tune(ConnectionTuning.Event)
  }

  /// The actions that follow, in this order.
  public enum Action: Sendable {
    /// Write a command; acknowledged ones wait for the board.
    case write(Command, acknowledged: Bool)
    /// Report `timeout` after this many seconds, unless another wait comes first.
    case wait(seconds: Double)
    /// No wait any more.
    case cancelWait
    /// Write these, each time after its seconds, until the link is lost or the session stops.
    case poll([(Command, seconds: Double)])
    /// Report `progress`.
    case observe
    /// The board is set up and waits for `start`; decode and record these streams from now on. It
    /// is said again, with the same streams, when the link was lost before the start.
    case ready(Model, firmware: String, [BoardStream])
    /// The board is set up again after a gap, and each stream's numbers begin again; its sensors
    /// are about to start.
    case resumed([BoardStream], after: Interruption)
    /// Its sensors run; a board that does not tell its battery is not asked for it.
    case running(tellsBattery: Bool)
    /// The board told the state of its battery.
    case battery(Battery)
    /// The sensors of these streams start again after a pause in which the board counted nothing.
    case restarting([Int])
    /// The board answers and sends nothing of these streams.
    case silent([Int], signals: String)
    /// Nothing brings back the streams of these signals: they are started again now and then, and
    /// the others go on without them.
    case stillSilent(signals: String)
    /// Change the link from this computer's side, and tell the tuning how that ended.
    case changeLink(LinkMethod, ConnectionParameters)
    /// The pace asked for, and the one achieved.
    case tuned(LinkReport)
    /// Something a person may want to know.
    case remark(String)
    /// The link is gone or of no use: end it, bring up another and report `subscribed`, or
    /// `abandoned`.
    case relink
    /// Everything is stopped and nothing is on its way any more.
    case finished
    /// The session ended before its time.
    case failed(BoardFailure)
  }

  /// What a board that is set up again comes back from.
  public enum Interruption: Hashable, Sendable {
    /// Its link was replaced.
    case link
    /// It had restarted.
    case reboot
    /// Its streams were silent; its link was there all the time.
    case silence
  }

  enum State {
    case idle
    /// At this position of the steps.
    case working(Int)
    case ready
    case running(Supervision)
    case stopping
    case relinking
    case ended
  }

  static let answerSeconds = 1.0
  static let attempts = 3
  /// Questions to a board that is to stop: the end of its link takes two of the seconds in which a
  /// program ends (`BlueZRadio.endSeconds`).
  static let stopAttempts = 2
  /// Links that may be of no use before the sensors have ever run. Later a recording is under way,
  /// and the next link may be the good one.
  static let fruitlessLinks = 3

  let requests: [SensorRequest]
  var tuning: ConnectionTuning
  var state = State.idle
  /// How often the present question was asked.
  var attempt = 1
  var information: DeviceInformation?
  var modules = ModuleTable()
  /// Whether every module was asked.
  var isIdentified = false
  var streams: [PlannedStream] = []
  /// Whether everybody was ready once: then the sensors start even if this board, for want of a
  /// link, is no more.
  var mayStart = false
  /// Whether the streams were reported: they keep their layouts from then on.
  var isAnnounced = false
  /// Whether the sensors have run before: then they start as soon as they are set up again.
  var hasRun = false
  /// Links that were of no use so far.
  var lostLinks = 0
  /// Whether the board confirmed that its sensors stopped: nothing it sent is missing at the end
  /// then.
  public private(set) var hasConfirmedStop = false
  /// How often the board may still be set up again because it fell silent.
  var replaysLeft = Self.replays
  /// Whether it is being set up again for that reason.
  var isReplaying = false
  /// The streams that fell silent and have sent nothing since.
  var silenced: Set<Int> = []
  /// Whether any stream has ever sent anything.
  var hasSent = false

  // Setting up.
  var steps: [SetupStep] = []
  /// Whether the steps contain what stops the sensors at a disconnect.
  var isArmed = false
  /// Ids the board has given out since it was cleared.
  var givenIDs: Set<GivenID> = []
  /// Whether the set-up was begun again since the sensors ran last, because the board did not say
  /// which id it gave.
  var hasRetriedCreation = false
  /// The board's clock when it was read last.
  var clock: TimeReference?
  /// Whether the clock showed a reset since the streams were set up last.
  var isRebooted = false

  /// The useless packets.
  public internal(set) var diagnosis = PacketDiagnosis()

  /// A session that will stream these sensors over a link of the tuning's pace.
  public init(_ requests: [SensorRequest], tuning: ConnectionTuning = ConnectionTuning(.fast)) {
    self.requests = requests
    self.tuning = tuning
  }

  /// Whether it takes no more events.
  var hasEnded: Bool {
    if case .ended = state { true } else { false }
  }

  /// Takes an event and returns the actions that follow.
  public mutating func handle(_ event: Event) -> [Action] {
    switch (event, state) {
    case (_, .ended): []
    case (.subscribed(let found), .idle), (.subscribed(let found), .relinking): begin(found)
    case (.packet(let bytes), _): receive(bytes)
    case (.malformed(let bytes), _): receiveMalformed(bytes)
    case (.timeout, .working(let position)): retry(position)
    case (.timeout, .running): superviseTimeout()
    case (.timeout, .stopping): retryStop()
    case (.progress(let packets), .running): supervise(packets)
    case (.disturbed, _): excuseSilence()
    case (.start, _): start()
    case (.stop, _): stop()
    case (.linkLost, .working), (.linkLost, .ready), (.linkLost, .running):
      relink(because: .linkLost)
    // Nothing more was to come, but packets on their way may not have arrived.
    case (.linkLost, .stopping): end([.failed(.linkLost)])
    case (.abandoned(let failure), _): end([.failed(failure)])
    case (.tune(let event), _): tune(event)
    case (.subscribed, _), (.timeout, _), (.progress, _), (.linkLost, _): []
    }
  }

  // MARK: Links

  private mutating func begin(_ found: DeviceInformation) -> [Action] {
    // Only another firmware has other modules.
    let isOther = information.map { $0 != found } ?? false
    if isOther { isIdentified = false }
    information = found
    return (isOther ? [.remark("the board came back with firmware \(found.firmware)")] : [])
      + setUp()
  }

  /// Asks for another link; before the sensors have ever run, only so many times.
  mutating func relink(because failure: BoardFailure) -> [Action] {
    lostLinks += 1
    guard hasRun || lostLinks <= Self.fruitlessLinks else { return end([.failed(failure)]) }
    state = .relinking
    isReplaying = false
    silenced = []
    _ = tune(.linkLost)
    // That the link is gone the owner knows.
    return [.cancelWait] + (failure == .linkLost ? [] : [.remark(failure.message)]) + [.relink]
  }

  // MARK: Packets

  private mutating func receive(_ bytes: [UInt8]) -> [Action] {
    if bytes.count > Command.maximumLength { diagnosis.note(.overlong, bytes) }
    let notification: Notification
    do throws(DecodeError) {
      notification = try Notification(decoding: bytes.span, from: modules)
    } catch {
      diagnosis.note(error, bytes)
      return []
    }
    if hasRun, case .battery(let battery) = notification { return [.battery(battery)] }
    switch state {
    case .working(let position):
      if let actions = accept(notification, bytes, at: position) { return actions }
    case .running(let supervision):
      if supervision.isAsking, Self.isAnswerToPing(notification) {
        return noteSignOfLife(supervision)
      }
    case .stopping:
      if Self.isAnswerToPing(notification) {
        hasConfirmedStop = true
        return tearDown()
      }
    case .idle, .ready, .relinking, .ended:
      break
    }
    noteUnexpected(notification, bytes)
    return []
  }

  private mutating func receiveMalformed(_ bytes: [UInt8]) -> [Action] {
    noteMalformed(bytes)
    return []
  }

  // MARK: Starting and stopping

  private mutating func start() -> [Action] {
    mayStart = true
    if case .ready = state { return run() }
    return []
  }

  private mutating func stop() -> [Action] {
    switch state {
    case .idle, .stopping, .ended:
      return end([.finished])
    case .relinking:
      return end([.remark("the board was out of reach at the end"), .finished])
    case .working, .ready, .running:
      // A board that did not answer before will hardly do so now.
      attempt = isMute ? Self.stopAttempts : 1
      state = .stopping
      // What is left to be written is for the board, not for the link.
      _ = tune(.linkLost)
      // The answer to the question comes after the last sample.
      return (polls.isEmpty ? [] : [.poll([])]) + writes(modules.halt) + ping()
    }
  }

  private mutating func retryStop() -> [Action] {
    if attempt < Self.stopAttempts {
      attempt += 1
      return ping()
    }
    return [.remark("the board did not confirm that it stopped")] + tearDown()
  }

  /// Whether the board owes the answer to a question.
  private var isMute: Bool {
    if case .running(let supervision) = state { supervision.isAsking } else { false }
  }

  /// A board that says nothing is not waited for once more: the time is for the end of its link.
  private mutating func tearDown() -> [Action] {
    end([.cancelWait] + writes(clearance, acknowledgingLast: hasConfirmedStop) + [.finished])
  }

  mutating func end(_ actions: [Action]) -> [Action] {
    state = .ended
    return actions
  }
}
