public import LinuxSystem
public import Recording
public import RingBuffer
public import Storage
public import Values

/// The only thread that drains the rings and cuts chunks. `StoreWriter` writes them to the store,
/// and `TailSyncer` syncs the tail to the disk.
public final class RecorderThread: Sendable {
  enum Request: Sendable {
    case open(RecordingPlan.Destination, Beginning, Reply<StoreWriter.Opening>)
    /// From the thread of a session's writer: whether it opened the store.
    case opened(StoreWriter.Opening, Reply<StoreWriter.Opening>?)
    /// The statistics of the part before an interruption.
    case former(UniqueID, SessionStatistics)
    case addBoard(RegisteredBoard, Reply<Void>)
    case command(RecordingWish.Command)
    case walking(WalkingSettings)
    /// From the thread that writes the store.
    case stored(StoreWriter.Outcome)
    /// From the thread that syncs the tail: the failure, if there was one.
    case synced(StoreError?)
    case phase(UInt16, BoardIdentity, LiveStatus.BoardPhase)
    case event(SessionEvent)
    case togglePause(BootTime)
    case pause(Bool, BootTime)
    case stopping(SessionEvent)
    case finish(Reply<RecorderTotals>)
  }

  /// The facts of a recording that are known before its start.
  struct Beginning: Sendable {
    var session: Session
    var hazards: [Hazard]
    var sealSeconds: Double
    /// Seconds of samples that a power cut may lose.
    var atRiskSeconds: Double
    /// The boards' places on the body, as far as the user gave them.
    var placements: [BoardAddress: String]
    /// Whether fixes give the present time.
    var fixesTellTheTime = true
    /// The begin and end of sessions with walking; `nil` if the recording is one session.
    var walking: WalkingSettings?
    /// Whether the recording has a source of positions.
    var hasReceiver = false
    /// Whether it continues an interrupted recorder's session.
    var continuesSessions = false
  }

  /// A report on a session, in a recording that has several.
  public enum SessionReport: Sendable {
    /// A session has begun, with samples from `secondsAgo` seconds ago on.
    case began(UniqueID, secondsAgo: Double)
    /// An interrupted session continues after a gap of this many seconds.
    case continued(UniqueID, seconds: Double)
    /// A session has ended with these counts.
    case ended(UniqueID, RecorderTotals)
    /// A session is wanted but does not begin, for this reason.
    case refused(LiveStatus.Obstacle)
  }

  private let mailbox: Mailbox<Request>
  private let status: StatusBoard
  private let columns: ColumnsBoard
  private let thread: NamedThread
  /// Producers ring it for the first reading after a pause, and when their ring fills up.
  public let bell: WakeUp

  /// Starts the thread as the consumer of these rings.
  ///
  /// The closures are called from the thread. `onFirstSample` is called once, with the arrival of
  /// the first sample, and `onFailure` once, when the store can no longer be written. `onSpace` is
  /// called when the room for the store changes, and `onClock` once in each session if system clock
  /// and satellites disagree. `onSession` is called if sessions begin and end with walking.
  public init(
    readings: consuming RingConsumer<Reading>, positions: consuming RingConsumer<PositionReport>,
    onFirstSample: @escaping @Sendable (BootTime) -> Void,
    onFailure: @escaping @Sendable (StoreError) -> Void,
    onSpace: @escaping @Sendable (StoreWriter.Space) -> Void = { _ in },
    onClock: @escaping @Sendable (ClockTable.Disagreement) -> Void = { _ in },
    onSession: @escaping @Sendable (SessionReport) -> Void = { _ in }
  ) throws(SystemError) {
    let mailbox = try Mailbox<Request>()
    let bell = try WakeUp()
    let status = StatusBoard()
    let columns = ColumnsBoard(start: BootClock.now())
    let ends = HandOver(RecorderEnds(readings: readings, positions: positions))
    self.mailbox = mailbox
    self.bell = bell
    self.status = status
    self.columns = columns
    thread = try NamedThread("recorder") { () -> RecorderLoop? in
      guard let ends = ends.take() else { return nil }
      return RecorderLoop(
        mailbox, bell, status, columns, ends, onFirstSample: onFirstSample, onFailure: onFailure,
        onSpace: onSpace, onClock: onClock, onSession: onSession)
    }
  }

  /// Opens the destination for a session, which begins with its first board and these hazards.
  /// After `sealSeconds` chunks are sealed even if they are not full. A power cut may lose
  /// `atRiskSeconds`. Fixes date the session unless `fixesTellTheTime` is false. With `walking`,
  /// each walk gets such a session. With `continuesSessions`, the session of a recorder interrupted
  /// minutes ago continues with the same boards. Returns the recovery of the tail of an interrupted
  /// recorder; `nil` without one.
  public func open(
    _ destination: RecordingPlan.Destination, for session: Session, hazards: [Hazard] = [],
    sealSeconds: Double = RecordingSettings.usualSealMinutes * 60,
    atRiskSeconds: Double = RecordingSettings.usualAtRiskSeconds,
    placements: [BoardAddress: String] = [:], fixesTellTheTime: Bool = true,
    walking: WalkingSettings? = nil, hasReceiver: Bool = false, continuesSessions: Bool = false
  ) async throws(StoreError) -> TailRecovery? {
    let opening = await Reply<StoreWriter.Opening>.wait { reply in
      let beginning = Beginning(
        session: session, hazards: hazards, sealSeconds: sealSeconds,
        atRiskSeconds: atRiskSeconds, placements: placements,
        fixesTellTheTime: fixesTellTheTime, walking: walking, hasReceiver: hasReceiver,
        continuesSessions: continuesSessions)
      _ = mailbox.post(.open(destination, beginning, reply))
    }
    return try opening.get().recovery
  }

  /// Registers a board and its streams, and returns once they are stored. Do not push samples of
  /// these streams earlier.
  public func addBoard(
    _ board: UInt16, _ identity: BoardIdentity, _ streams: [StreamDescription]
  ) async {
    await Reply<Void>.wait { reply in
      _ = mailbox.post(
        .addBoard(RegisteredBoard(number: board, identity: identity, streams: streams), reply))
    }
  }

  /// Notes a board's phase, for the live view.
  public func note(_ phase: LiveStatus.BoardPhase, of board: UInt16, _ identity: BoardIdentity) {
    _ = mailbox.post(.phase(board, identity, phase))
  }

  /// Notes an event, which is stored with the session.
  public func note(_ event: SessionEvent) {
    _ = mailbox.post(.event(event))
  }

  /// Keeps no sample and no position that arrives from `time` on, and counts each sample as lost.
  /// During such a pause, ends it instead.
  public func togglePause(at time: BootTime) {
    _ = mailbox.post(.togglePause(time))
  }

  /// Begins such a pause at `time`, or ends it; does nothing if that is already so. Between the
  /// sessions of walks there is nothing to pause.
  func pause(_ isPaused: Bool, at time: BootTime) {
    _ = mailbox.post(.pause(isPaused, time))
  }

  /// Notes that the boards are about to be stopped. Samples missing from then on do not count as
  /// lost.
  ///
  /// `reason` is for people, and empty if nothing failed.
  public func noteStop(at time: BootTime = BootClock.now(), reason: String = "") {
    _ = mailbox.post(.stopping(SessionEvent(.stopping, at: time, text: reason)))
  }

  /// Takes other settings, if sessions begin and end with walking.
  func take(_ settings: WalkingSettings) {
    _ = mailbox.post(.walking(settings))
  }

  /// Takes a person's command, if sessions begin and end with walking.
  func take(_ command: RecordingWish.Command) {
    _ = mailbox.post(.command(command))
  }

  public var liveStatus: LiveStatus { status.current }

  /// Calls `tell` for each new status, from the thread. From now on each round with readings has
  /// one, provided that the producers ring the bell for each reading.
  func follow(_ tell: @escaping @Sendable () -> Void) { status.follow(tell) }

  /// Notes whether someone watches the live samples. If so, the samples of the last minute are kept
  /// in columns, and each round shows its status.
  func watch(_ isWatched: Bool) { columns.watch(isWatched) }

  /// The columns not yet taken.
  func takeNewColumns() -> [LiveStreamColumns] { columns.takeNew() }

  /// Drains the rings, seals the open chunks, ends the session and closes the store.
  ///
  /// Call it after the producers have stopped. The missing samples of an absent board are counted
  /// until `noteStop`.
  public func finish() async -> RecorderTotals {
    let totals = await Reply<RecorderTotals>.wait { reply in
      _ = mailbox.post(.finish(reply))
    }
    thread.join()
    return totals
  }
}

/// The consuming ends of the rings, on their way to the thread.
struct RecorderEnds: ~Copyable, Sendable {
  var readings: RingConsumer<Reading>
  var positions: RingConsumer<PositionReport>
}
