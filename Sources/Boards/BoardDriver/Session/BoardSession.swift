public import MetaWearProtocol
public import Values

/// One board's session as a value type: events in, actions out, no clock and no waiting.
///
/// `idle` → `working` through a list of steps → `ready` → `running` → `stopping` → ended. The
/// steps: identify the modules one by one; read the clock; stop leftovers of an earlier connection;
/// configure each sensor and read it back; create the processors that count its samples or the
/// timers that ask for them; arm the disconnect event. When the link drops, `relinking` → `working`
/// through the steps again → `running`. Every state may end in a failure with its reason.
///
/// A session begins with the writes that a new link needs:
///
///     let requests = [SensorRequest(signal: "acceleration", rate: 100, range: 8)]
///     var session = BoardSession(requests)
///     let board = DeviceInformation(modelNumber: "8", firmware: "1.7.2")
///     var commands: [Command] = []
///     for case .write(let command, _) in session.handle(.subscribed(board)) {
///       commands.append(command)
///     }
public struct BoardSession: Sendable {
  public enum Event: Sendable {
    /// A link is up and notifications are enabled.
    case subscribed(DeviceInformation)
    /// A notification that is not a sample of a running stream.
    case packet([UInt8])
    /// A packet of a running stream that could not be read (and is counted already), or that was
    /// longer than the board's packets.
    case malformed([UInt8])
    /// The last requested wait is over.
    case timeout
    /// The packets of each stream so far, as requested by `observe`.
    case progress([UInt64])
    /// Another board is being linked, which may delay this board's data.
    case disturbed
    /// All boards are ready: the sensors may start.
    case start
    /// The user ends the session.
    case stop
    /// The link has dropped.
    case linkLost
    /// There will be no other link.
    case abandoned(BoardFailure)
    /// An event that concerns the link's pace.
    case tune(ConnectionTuning.Event)
  }

  /// An action for the owner; actions are performed in order.
  public enum Action: Sendable {
    /// Write a command; acknowledged ones wait for the board.
    case write(Command, acknowledged: Bool)
    /// Report `timeout` after this many seconds, unless another wait begins before.
    case wait(seconds: Double)
    case cancelWait
    /// Write each of these periodically, at its interval in seconds, until the link is lost or the
    /// session stops.
    case poll([(Command, seconds: Double)])
    /// Report `progress` after some seconds, like the end of a wait: another wait, or `cancelWait`,
    /// replaces it. The reader counts the seconds, since it wakes anyway.
    case observe(after: Double)
    /// The board is set up and waits for `start`; decode and record these streams from now on.
    /// Repeated with the same streams if the link was lost before the start.
    case ready(Model, firmware: String, [BoardStream])
    /// The board is set up again after a gap, and each stream's counters start again; its sensors
    /// are about to start. For a stream whose samples the board counted, `counts` holds the number
    /// made before.
    case resumed([BoardStream], after: Interruption, counts: [UInt32?])
    /// Its sensors run; `tellsBattery` is false for a board that does not report its battery.
    case running(tellsBattery: Bool)
    /// The board reported the state of its battery.
    case battery(Battery)
    /// The sensors of these streams restart after a pause in which the board counted nothing.
    case restarting([Int])
    /// The board answers but sends nothing of these streams.
    case silent([Int], signals: String)
    /// No remedy brings back the streams of these signals: their sensors are restarted now and
    /// then, and the other streams continue.
    case stillSilent(signals: String)
    /// Change the link from this computer's side, and report the outcome to the tuning.
    case changeLink(LinkMethod, ConnectionParameters)
    /// The requested pace and the achieved one.
    case tuned(LinkReport)
    /// A remark for the user.
    case remark(String)
    /// The link is gone or useless: end it, bring up another and report `subscribed`, or
    /// `abandoned`.
    case relink
    /// Everything is stopped and no more packets are on their way.
    case finished
    /// The session failed before its end.
    case failed(BoardFailure)
  }

  /// The interruption after which a board was set up again.
  public enum Interruption: Hashable, Sendable {
    /// Its link was replaced.
    case link
    /// The board had restarted.
    case reboot
    /// Its streams were silent; its link was up all the time.
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
  /// Attempts to confirm that a board has stopped: ending its link takes two of the seconds in
  /// which a program must end (`BlueZRadio.endSeconds`).
  static let stopAttempts = 2
  /// Useless links allowed before the sensors have ever run. After that a recording is under way,
  /// and the next link may be a good one.
  static let fruitlessLinks = 3

  let requests: [SensorRequest]
  var tuning: ConnectionTuning
  var state = State.idle
  /// Number of the current attempt.
  var attempt = 1
  var information: DeviceInformation?
  var modules = ModuleTable()
  /// Whether every module has been identified.
  var isIdentified = false
  var streams: [PlannedStream] = []
  /// Whether all boards were ready once: then the sensors start even if this board has since lost
  /// its link.
  var mayStart = false
  /// Whether the streams were reported: they keep their layouts from then on.
  var isAnnounced = false
  /// Whether the sensors have run before: then they start as soon as they are set up again.
  var hasRun = false
  /// Number of links lost so far.
  var lostLinks = 0
  /// Whether the board confirmed that its sensors stopped: then none of its samples is missing at
  /// the end.
  public private(set) var hasConfirmedStop = false
  /// Number of times the board may still be set up again after a silence.
  var replaysLeft = Self.replays
  /// Whether it is being set up again after a silence.
  var isReplaying = false
  /// Streams that fell silent and have sent nothing since.
  var silenced: Set<Int> = []
  /// Whether any stream has ever sent anything.
  var hasSent = false

  // Setting up.
  var steps: [SetupStep] = []
  /// Whether the steps include the commands that stop the sensors at a disconnect.
  var isArmed = false
  /// Ids that the board has given out since it was cleared.
  var givenIDs: Set<GivenID> = []
  /// Whether a failed creation of an object was already retried since the sensors last ran.
  var hasRetriedCreation = false
  /// The counters of the previous link, which are read before the board is cleared.
  var formerCounters: [Int: UInt8] = [:]
  /// The counts of the previous link, by stream.
  var formerCounts: [Int: UInt32] = [:]
  /// Reads of the final counts that are still unanswered.
  private var lastCounters: ArraySlice<Command> = []
  /// Whether the sensors ran on this link.
  var hasRunOnLink = false
  /// The board's clock when last read.
  var clock: TimeReference?
  /// Whether the clock showed a reset since the streams were last set up.
  var isRebooted = false

  /// The useless packets.
  public internal(set) var diagnosis = PacketDiagnosis()

  /// A session that will stream these sensors over a link of the tuning's pace.
  public init(_ requests: [SensorRequest], tuning: ConnectionTuning = ConnectionTuning(.fast)) {
    self.requests = requests
    self.tuning = tuning
  }

  /// Whether it ignores all further events.
  var hasEnded: Bool {
    if case .ended = state { true } else { false }
  }

  /// Handles an event and returns the resulting actions.
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
    // No more data was expected, but packets under way may be lost.
    case (.linkLost, .stopping): end([.failed(.linkLost)])
    case (.abandoned(let failure), _): end([.failed(failure)])
    case (.tune(let event), _): tune(event)
    case (.subscribed, _), (.timeout, _), (.progress, _), (.linkLost, _): []
    }
  }

  // MARK: Links

  private mutating func begin(_ found: DeviceInformation) -> [Action] {
    // Only other firmware can have other modules.
    let isOther = information.map { $0 != found } ?? false
    if isOther { isIdentified = false }
    information = found
    noteCounters()
    return (isOther ? [.remark("the board came back with firmware \(found.firmware)")] : [])
      + setUp()
  }

  /// Requests another link; before the sensors have ever run, only a limited number of times.
  mutating func relink(because failure: BoardFailure) -> [Action] {
    lostLinks += 1
    guard hasRun || lostLinks <= Self.fruitlessLinks else { return end([.failed(failure)]) }
    state = .relinking
    isReplaying = false
    silenced = []
    _ = tune(.linkLost)
    // The owner knows already that the link is gone.
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
        lastCounters = lastCounters.dropFirst()
        return lastCounters.isEmpty ? tearDown() : [.cancelWait] + lastQuestion()
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
      // A board that did not answer before is unlikely to answer now.
      attempt = isMute ? Self.stopAttempts : 1
      state = .stopping
      lastCounters = streams.compactMap(\.stream.tally)[...]
      // The remaining writes are for the board, not for the link.
      _ = tune(.linkLost)
      return (polls.isEmpty ? [] : [.poll([])])
        + writes(modules.halt) + lastQuestion()
    }
  }

  private mutating func retryStop() -> [Action] {
    if attempt < Self.stopAttempts {
      attempt += 1
      return lastQuestion()
    }
    return [.remark("the board did not confirm that it stopped")] + tearDown()
  }

  /// Reads how many samples of a stream the board has made. The answer arrives after the last
  /// sample, and the answer to the ping after that; then the next count is read.
  private func lastQuestion() -> [Action] { writes(lastCounters.prefix(1).map(\.self)) + ping() }

  /// Whether a request to the board is unanswered.
  private var isMute: Bool {
    if case .running(let supervision) = state { supervision.isAsking } else { false }
  }

  /// Does not wait again for a board that does not answer: ending its link needs the time.
  private mutating func tearDown() -> [Action] {
    end([.cancelWait] + writes(clearance, acknowledgingLast: hasConfirmedStop) + [.finished])
  }

  mutating func end(_ actions: [Action]) -> [Action] {
    state = .ended
    return actions
  }
}
