public import MetaWearProtocol
public import Values

/// Controls one board from a new link to the end of streaming. This value type turns events into
/// actions. It has no clock and never waits.
///
/// `idle` → `working` through a list of steps → `ready` → `running` → `stopping` → ended. The steps
/// identify the modules one by one, read the clock, and stop whatever an earlier connection left
/// running. They then configure each sensor and read its configuration back. They create the
/// processors that count samples, or the timers that trigger reads of samples, and arm the
/// disconnect event. When the link drops, the session returns to `running` through `relinking` and
/// `working`. A session can fail in any state; the failure states the reason.
///
/// A session begins by querying the board's first module:
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
    /// A link is established and notifications are enabled.
    case subscribed(DeviceInformation)
    /// A notification arrived that is not a sample of a running stream.
    case packet([UInt8])
    /// A packet was longer than any that a board can send, or a running stream's packet was
    /// unreadable. The unreadable packet has already been counted.
    case malformed([UInt8])
    /// The most recently requested wait has ended.
    case timeout
    /// The reader counted the packets of each stream, as requested by `observe`.
    case progress([UInt64])
    /// Another board is being connected, which may delay this board's data.
    case disturbed
    /// All boards are ready, so the sensors may start.
    case start
    /// The user is ending the session.
    case stop
    case linkLost
    /// No further link is possible.
    case abandoned(BoardFailure)
    case tune(ConnectionTuning.Event)
  }

  /// An action that the session's owner must perform. Actions must be performed in order.
  public enum Action: Sendable {
    /// Write a command. An acknowledged write waits until the board has received it.
    case write(Command, acknowledged: Bool)
    /// Report `timeout` after this many seconds, unless `cancelWait` or another wait comes first.
    case wait(seconds: Double)
    case cancelWait
    /// Write each of these commands periodically, at its interval in seconds, until the link is
    /// lost, the session ends, or another `poll` replaces them.
    case poll([(Command, seconds: Double)])
    /// Report `progress` after this many seconds. Like any wait, this one is replaced by the next
    /// wait and cancelled by `cancelWait`. The reader measures the time, because it wakes anyway.
    case observe(after: Double)
    /// The board is set up and is waiting for `start`. The owner must decode and record these
    /// streams. The action is repeated if the link was lost before the start.
    case ready(Model, firmware: String, [BoardStream])
    /// The board has been set up again after a gap, and its sensors are about to start. Each
    /// stream's counters restart. If the board counted a stream's samples, `counts` contains the
    /// number of samples before the gap.
    case resumed([BoardStream], after: Interruption, counts: [UInt32?])
    /// The board's sensors are running. `tellsBattery` is false for a board that does not report
    /// its battery.
    case running(tellsBattery: Bool)
    case battery(Battery)
    /// The sensors of these streams restart after a pause. The board counted no samples during the
    /// pause.
    case restarting([Int])
    /// The board responds but sends no data for these streams.
    case silent([Int], signals: String)
    /// These signals' streams could not be restored. Their sensors are restarted periodically, and
    /// the other streams continue.
    case stillSilent(signals: String)
    /// Change the link's connection parameters using this method, and report the result to the
    /// tuning.
    case changeLink(LinkMethod, ConnectionParameters)
    /// The tuning has produced a result: the requested pace and the pace achieved.
    case tuned(LinkReport)
    case remark(String)
    /// The link is down or unusable: close it, establish another and report `subscribed`, or report
    /// `abandoned`.
    case relink
    /// Everything has stopped and no more packets are in transit.
    case finished
    case failed(BoardFailure)
  }

  /// The reason the board had to be set up again.
  public enum Interruption: Hashable, Sendable {
    /// The link was replaced.
    case link
    /// The board had restarted.
    case reboot
    /// The board's streams fell silent although its link stayed up.
    case silence
  }

  enum State {
    case idle
    /// The session is performing the step at this index.
    case working(Int)
    case ready
    case running(Supervision)
    case stopping
    case relinking
    case ended
  }

  static let answerSeconds = 1.0
  static let attempts = 3
  /// Maximum number of attempts to confirm that a board has stopped. A program has only a few
  /// seconds to shut down (`BlueZRadio.endSeconds`), and closing the link takes two of them.
  static let stopAttempts = 2
  /// Maximum number of unusable links before the sensors first run. After that there is no limit: a
  /// recording is in progress, and the next link may work.
  static let fruitlessLinks = 3

  let requests: [SensorRequest]
  var tuning: ConnectionTuning
  var state = State.idle
  /// Number of the current attempt at the current step, starting at 1.
  var attempt = 1
  var information: DeviceInformation?
  var modules = ModuleTable()
  /// Whether every module has been identified.
  var isIdentified = false
  var streams: [PlannedStream] = []
  /// Whether all boards have become ready. If so, the sensors start even if this board has lost its
  /// link in the meantime.
  var mayStart = false
  /// Whether the streams have been announced to the owner. Their layouts must not change after
  /// that.
  var isAnnounced = false
  /// Whether the sensors have run before. If so, they start as soon as they are set up again.
  var hasRun = false
  var lostLinks = 0
  /// Whether the board confirmed that its sensors stopped. If so, no samples are missing at the
  /// end.
  public private(set) var hasConfirmedStop = false
  /// Remaining number of times that the session may set up the board again because of silent
  /// streams.
  var replaysLeft = Self.replays
  /// Whether the board is being set up again because its streams were silent.
  var isReplaying = false
  /// Streams that fell silent and have not sent any data since.
  var silenced: Set<Int> = []
  /// Whether any stream has ever sent data.
  var hasSent = false

  // State used during the setup.
  var steps: [SetupStep] = []
  /// Whether the setup includes the commands that stop the sensors when the link is lost.
  var isArmed = false
  /// Ids that the board has assigned since its objects were last removed.
  var givenIDs: Set<GivenID> = []
  /// Whether a failed attempt to create an object has been repeated since the sensors last ran.
  var hasRetriedCreation = false
  /// Ids of the counters on the previous link, by stream. The session reads their counts before it
  /// removes the board's objects.
  var formerCounters: [Int: UInt8] = [:]
  /// The number of samples that the board counted for each stream on the previous link.
  var formerCounts: [Int: UInt32] = [:]
  /// Commands that read the final sample counts. The session is still waiting for their responses.
  private var lastCounters: ArraySlice<Command> = []
  /// Whether the sensors have run on the current link.
  var hasRunOnLink = false
  var clock: TimeReference?
  /// Whether the board's clock shows that the board has been reset since the streams were last set
  /// up.
  var isRebooted = false

  public internal(set) var diagnosis = PacketDiagnosis()

  public init(_ requests: [SensorRequest], tuning: ConnectionTuning = ConnectionTuning(.fast)) {
    self.requests = requests
    self.tuning = tuning
  }

  /// Whether the session has ended and ignores all further events.
  var hasEnded: Bool {
    if case .ended = state { true } else { false }
  }

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
    // The session is stopping, so no more data is expected. It still counts as failed, because
    // packets in transit may be lost.
    case (.linkLost, .stopping): end([.failed(.linkLost)])
    case (.abandoned(let failure), _): end([.failed(failure)])
    case (.tune(let event), _): tune(event)
    case (.subscribed, _), (.timeout, _), (.progress, _), (.linkLost, _): []
    }
  }

  // MARK: Links

  private mutating func begin(_ found: DeviceInformation) -> [Action] {
    // A board's modules can change only if its firmware changes.
    let isOther = information.map { $0 != found } ?? false
    if isOther { isIdentified = false }
    information = found
    noteCounters()
    return (isOther ? [.remark("the board reconnected with firmware \(found.firmware)")] : [])
      + setUp()
  }

  /// If the sensors have never run, the number of links is limited.
  mutating func relink(because failure: BoardFailure) -> [Action] {
    lostLinks += 1
    guard hasRun || lostLinks <= Self.fruitlessLinks else { return end([.failed(failure)]) }
    state = .relinking
    isReplaying = false
    silenced = []
    _ = tune(.linkLost)
    // The owner already knows that the link is down.
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
      return end([.remark("cannot reach the board to stop it"), .finished])
    case .working, .ready, .running:
      // A board that did not respond earlier is unlikely to respond now.
      attempt = isMute ? Self.stopAttempts : 1
      state = .stopping
      lastCounters = streams.compactMap(\.stream.tally)[...]
      // The remaining writes concern the board, not the link, so tuning ends here.
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

  /// Reads how many samples of a stream the board has produced, then pings the board. The count
  /// arrives after the last sample, and the ping response after the count. When the ping response
  /// arrives, the session reads the next stream's count.
  private func lastQuestion() -> [Action] { writes(lastCounters.prefix(1).map(\.self)) + ping() }

  /// Whether the board has not yet responded to a ping.
  private var isMute: Bool {
    if case .running(let supervision) = state { supervision.isAsking } else { false }
  }

  /// Stops everything on the board and ends the session. Does not wait again for a board that did
  /// not respond, because that time is needed to close the link.
  private mutating func tearDown() -> [Action] {
    end([.cancelWait] + writes(clearance, acknowledgingLast: hasConfirmedStop) + [.finished])
  }

  mutating func end(_ actions: [Action]) -> [Action] {
    state = .ended
    return actions
  }
}
