public import LinuxSystem
public import Recording
public import RingBuffer
public import Storage
public import Values

/// The only thread that drains the rings and creates chunks. `StoreWriter` writes them to the
/// store, and `TailSyncer` syncs the tail to the disk.
public final class RecorderThread: Sendable {
  enum Request: Sendable {
    case open(RecordingPlan.Destination, Beginning, Reply<StoreWriter.Opening>)
    /// A session's writer has opened the store, or has failed to open it.
    case opened(StoreWriter.Opening, Reply<StoreWriter.Opening>?)
    /// The statistics for a session's part before an interruption have been computed.
    case former(UniqueID, SessionStatistics)
    case addBoard(RegisteredBoard, Reply<Void>)
    case command(RecordingWish.Command)
    case participant(Participant?)
    /// A user has edited this session's participant in the store.
    case corrected(Participant?, UniqueID)
    case walking(WalkingSettings)
    /// The thread that writes to the store has reported an outcome.
    case stored(StoreWriter.Outcome)
    /// The thread that syncs the tail has finished a sync. The error is `nil` on success.
    case synced(StoreError?)
    case phase(UInt16, BoardIdentity, LiveStatus.BoardPhase)
    case event(SessionEvent)
    case togglePause(BootTime)
    case pause(Bool, BootTime)
    case stopping(SessionEvent)
    case finish(Reply<RecorderTotals>)
  }

  /// A recording's properties that are known before it starts.
  struct Beginning: Sendable {
    var session: Session
    var hazards: [Hazard]
    var sealSeconds: Double
    /// The maximum number of seconds of samples that a power failure may destroy.
    var atRiskSeconds: Double
    /// Whether fixes contain the current time.
    var fixesTellTheTime = true
    /// The settings for sessions that start and stop with walking, or `nil` if the recording is one
    /// session.
    var walking: WalkingSettings?
    /// Whether the recording has a position source.
    var hasReceiver = false
    /// Whether the recording may continue an interrupted recorder's session.
    var continuesSessions = false
  }

  /// A report on a session.
  public enum SessionReport: Sendable {
    /// A session has started. Its data starts `secondsAgo` seconds before this report.
    case began(UniqueID, secondsAgo: Double)
    /// An interrupted session continues after a gap of this many seconds.
    case continued(UniqueID, seconds: Double)
    case ended(UniqueID, RecorderTotals)
    /// A session is wanted but cannot start, for this reason.
    case refused(LiveStatus.Obstacle)
  }

  private let mailbox: Mailbox<Request>
  private let status: StatusBoard
  private let columns: ColumnsBoard
  private let thread: NamedThread
  /// Wakes the thread. Producers signal the bell for the first reading after a while without
  /// readings, and when their ring fills up.
  public let bell: WakeUp

  /// Starts the thread as the consumer of these rings.
  ///
  /// The closures are called on this thread. `onFirstSample` is called once, with the arrival time
  /// of the first sample. `onFailure` is called when the store or the tail can no longer be written
  /// to, at most once per session. `onSpace` is called when the free space for the store changes.
  /// `onClock` is called once per session if the system clock and the satellites disagree. If the
  /// recording is one session, `onSession` is called only when that session continues an
  /// interrupted one.
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

  /// Opens the destination for a session. The session begins when its first board is added, and
  /// records these hazards at its start. A chunk is sealed after `sealSeconds` even if it is not
  /// full. Up to `atRiskSeconds` of samples may be lost in a power failure. Fixes determine the
  /// session's date unless `fixesTellTheTime` is false. If `walking` is set, each walk becomes a
  /// separate session. If `continuesSessions` is true, a session that was interrupted minutes ago
  /// continues with the same boards. Returns the result of recovering an interrupted recorder's
  /// tail, or `nil` if no tail was found.
  public func open(
    _ destination: RecordingPlan.Destination, for session: Session, hazards: [Hazard] = [],
    sealSeconds: Double = RecordingSettings.usualSealMinutes * 60,
    atRiskSeconds: Double = RecordingSettings.usualAtRiskSeconds,
    fixesTellTheTime: Bool = true, walking: WalkingSettings? = nil, hasReceiver: Bool = false,
    continuesSessions: Bool = false
  ) async throws(StoreError) -> TailRecovery? {
    let opening = await Reply<StoreWriter.Opening>.wait { reply in
      let beginning = Beginning(
        session: session, hazards: hazards, sealSeconds: sealSeconds,
        atRiskSeconds: atRiskSeconds, fixesTellTheTime: fixesTellTheTime, walking: walking,
        hasReceiver: hasReceiver, continuesSessions: continuesSessions)
      _ = mailbox.post(.open(destination, beginning, reply))
    }
    return try opening.get().recovery
  }

  /// Registers a board and its streams. If a session is open, returns once the store has registered
  /// them or failed to do so. Call it before the first sample of these streams enters the ring.
  public func addBoard(
    _ board: UInt16, _ identity: BoardIdentity, _ streams: [StreamDescription]
  ) async {
    await Reply<Void>.wait { reply in
      _ = mailbox.post(
        .addBoard(RegisteredBoard(number: board, identity: identity, streams: streams), reply))
    }
  }

  /// Records a board's phase, for the live view.
  public func note(_ phase: LiveStatus.BoardPhase, of board: UInt16, _ identity: BoardIdentity) {
    _ = mailbox.post(.phase(board, identity, phase))
  }

  /// Records an event, which is stored with the session.
  public func note(_ event: SessionEvent) {
    _ = mailbox.post(.event(event))
  }

  /// Starts a pause at `time`, or ends the current pause. During a pause, arriving samples and
  /// positions are discarded, and each sample is counted as lost.
  public func togglePause(at time: BootTime) {
    _ = mailbox.post(.togglePause(time))
  }

  /// Starts or ends a pause at `time`. Does nothing if the recording is already in that state, or
  /// if walking controls the sessions and none is in progress.
  func pause(_ isPaused: Bool, at time: BootTime) {
    _ = mailbox.post(.pause(isPaused, time))
  }

  /// Records that the boards are about to be stopped. Samples missing after `time` are not counted
  /// as lost.
  ///
  /// `reason` is human-readable, and empty if nothing failed.
  public func noteStop(at time: BootTime = BootClock.now(), reason: String = "") {
    _ = mailbox.post(.stopping(SessionEvent(.stopping, at: time, text: reason)))
  }

  /// Applies new settings. Has no effect unless walking starts and stops sessions.
  func take(_ settings: WalkingSettings) {
    _ = mailbox.post(.walking(settings))
  }

  /// Carries out a user's command to start or stop a session. Has no effect unless walking starts
  /// and stops sessions.
  func take(_ command: RecordingWish.Command) {
    _ = mailbox.post(.command(command))
  }

  /// Sets the participant for sessions that begin later. A session begins with its first board.
  func take(_ participant: Participant?) {
    _ = mailbox.post(.participant(participant))
  }

  /// Updates the participant in the open session's status, after a user edited the participant in
  /// the store.
  func correct(_ participant: Participant?, of session: UniqueID) {
    _ = mailbox.post(.corrected(participant, session))
  }

  public var liveStatus: LiveStatus { status.current }

  /// Calls `tell` from the thread for each new status, and makes the thread publish a status each
  /// time it takes readings from the rings. The producers must signal the bell for each reading.
  func follow(_ tell: @escaping @Sendable () -> Void) { status.follow(tell) }

  /// Records whether someone is watching the live samples. If so, samples from the last minute are
  /// stored in columns, and a status is published each time readings are taken from the rings.
  func watch(_ isWatched: Bool) { columns.watch(isWatched) }

  func takeNewColumns() -> [LiveStreamColumns] { columns.takeNew() }

  /// Drains the rings, seals the open chunks, ends the session and closes the store.
  ///
  /// Call this method after the producers have stopped. If a board is absent, its missing samples
  /// are counted up to the time passed to `noteStop`.
  public func finish() async -> RecorderTotals {
    let totals = await Reply<RecorderTotals>.wait { reply in
      _ = mailbox.post(.finish(reply))
    }
    thread.join()
    return totals
  }
}

/// The consumer ends of the rings, to be transferred to the thread.
struct RecorderEnds: ~Copyable, Sendable {
  var readings: RingConsumer<Reading>
  var positions: RingConsumer<PositionReport>
}
