internal import LinuxSystem
internal import Recording
public import Storage
internal import Values

/// The thread that owns the store: it commits the chunks that the recorder sealed.
///
/// This thread waits for the disk. The recorder goes on meanwhile and writes the tail: if the
/// program is killed while a slow disk syncs for seconds, nothing is lost.
public final class StoreWriter: Sendable {
  /// The content of one transaction.
  struct Batch: Sendable {
    var chunks: [Chunk] = []
    var fixes: [Fix] = []
    var entries: [ClockTable.Entry] = []
    var events: [SessionEvent] = []
  }

  /// The room for the store, and the chunks that were deleted to make room.
  public struct Space: Hashable, Sendable {
    /// Enough, little or no room.
    public var state: SpacePolicy.State
    /// The chunks deleted to make room, as the policy says.
    public var dropped: Store.Dropped
  }

  /// The statistics of a session, and where boards were worn when they were counted.
  struct Tally: Sendable {
    var statistics: SessionStatistics
    var placements: [BoardAddress: String]

    /// Counts steps again, since the place of a board may have been edited meanwhile.
    fileprivate func recount(of session: UniqueID, in path: String) throws -> StepRecount {
      let reader = try StoreReader(path: path)
      return try StepRecount(
        statistics, of: session, in: reader, from: placements, to: reader.placements(of: session))
    }
  }

  /// A request to the thread; they are served in order.
  enum Request: Sendable {
    /// Begins the session.
    case begin(Session, [Hazard])
    /// Continues the session, which an earlier recorder began.
    case resume(InterruptedSession)
    /// Ends the session that could have been continued and was not.
    case abandon
    /// Registers a board of the session and its streams, and answers when they are stored or cannot
    /// be, if somebody waits.
    case addBoard(BoardIdentity, [StreamDescription], Reply<Void>?)
    case commit(Batch)
    /// Ends the session at a time with its statistics, closes the store and removes the tail, which
    /// is no longer needed.
    case finish(BootTime, TailSegment?, Tally?)
  }

  /// An answer to the recorder.
  enum Outcome: Sendable {
    /// The writer has stored the oldest unanswered batch, or has failed to.
    case committed(isStored: Bool)
    /// There is more or less room than before, or chunks were deleted to make room.
    case space(Space)
    /// The store cannot be written any more.
    case failed(StoreError)

    /// Whether the recorder needs the answer at once; the others are read in the next round.
    var isUrgent: Bool {
      switch self {
      case .committed: false
      case .space, .failed: true
      }
    }
  }

  private let mailbox: Mailbox<Request>
  private let thread: NamedThread

  /// The open store: the recovery of the tail of a recorder that was cut off, and the session of
  /// that recorder if it may be continued.
  struct Opened: Sendable {
    var recovery: TailRecovery?
    var interrupted: InterruptedSession?
  }

  typealias Opening = Result<Opened, StoreError>

  /// Starts the thread, which opens the store at `path` and tells how that went through `opened`.
  /// It looks for an interrupted session if one `mayContinue`.
  init(
    _ path: String, mayContinue: Bool = false, opened: @escaping @Sendable (Opening) -> Void,
    tell: @escaping @Sendable (Outcome) -> Void
  ) throws(SystemError) {
    let mailbox = try Mailbox<Request>()
    self.mailbox = mailbox
    thread = try NamedThread("store") { () -> StoreWriterLoop? in
      do throws(StoreError) {
        var interrupted: InterruptedSession?
        let store = try Store.open(path: path) { store throws(StoreError) in
          guard mayContinue, let boot = try? BootClock.bootID() else { return nil }
          interrupted = try store.interruptedSession(boot: boot, at: BootClock.pair())
          return interrupted.flatMap { $0.isOfThisBoot ? $0.session.id : nil }
        }
        // Taking in a long tail needs much more memory than a recording.
        if store.leftovers != nil { ThisProcess.trimMemory() }
        opened(.success(Opened(recovery: store.leftovers, interrupted: interrupted)))
        return StoreWriterLoop(store, at: path, mailbox, tell)
      } catch {
        opened(.failure(error))
        StoreWriterLoop.shut(mailbox)
        return nil
      }
    }
  }

  /// Sends a request. A request for a board that can no longer be registered is answered at once.
  func ask(_ request: Request) {
    guard !mailbox.post(request), case .addBoard(_, _, let reply) = request else { return }
    reply?.give(())
  }

  /// Returns when all requests are served; the last must have been `finish`.
  func join() {
    thread.join()
  }
}

/// The body of the thread.
private struct StoreWriterLoop: ThreadLoop, ~Copyable {
  private var store: Store
  private let path: String
  private let mailbox: Mailbox<StoreWriter.Request>
  private var polls = PollSet()
  private let tell: @Sendable (StoreWriter.Outcome) -> Void
  private var session: UniqueID?
  /// Whether the session has a chunk or a fix. A session without either is not kept.
  private var hasContent = false
  /// Whether a write has failed. The thread tries no other write after it, so the stored samples
  /// have no holes.
  private var hasFailed = false
  /// Seconds from one look at the store's place to the next while nothing is to be written.
  private static let placeSeconds = 0.5
  /// Seconds from one check of the room to the next.
  private static let lookSeconds = 10.0
  private var lastLook: BootTime?
  /// Seconds from one search for chunks sent long ago to the next, and the most chunks that one
  /// search deletes. A search reads a row of each chunk that was sent.
  private static let sentLookSeconds = 600.0
  private static let sentAtOnce = 1_024
  private var lastSentLook: BootTime?
  private var space = SpacePolicy.State.ok
  /// The last request; `nil` before.
  private var last: (end: BootTime, tail: TailSegment?, tally: StoreWriter.Tally?)?

  init(
    _ store: consuming Store, at path: String, _ mailbox: Mailbox<StoreWriter.Request>,
    _ tell: @escaping @Sendable (StoreWriter.Outcome) -> Void
  ) {
    self.store = store
    self.path = path
    self.mailbox = mailbox
    self.tell = tell
    polls.add(mailbox.bell.number)
  }

  func pause() -> Double? { last == nil ? hasFailed ? .infinity : Self.placeSeconds : nil }

  mutating func wait(seconds: Double) -> Bool { polls.wait(seconds: seconds) }

  mutating func round() {
    let requests = mailbox.takeAll()
    for request in requests { serve(request) }
    guard requests.isEmpty else { return }
    attempt { _ throws(StoreError) in }
    if session != nil { keepRoom() }
  }

  /// Closes the store.
  consuming func end() {
    let mailbox = mailbox
    if let last { finish(at: last.end, last.tail, last.tally) }
    Self.shut(mailbox)
  }

  /// Refuses further requests, so that no caller waits for an answer forever.
  static func shut(_ mailbox: Mailbox<StoreWriter.Request>) {
    for request in mailbox.shut() {
      if case .addBoard(_, _, let reply) = request { reply?.give(()) }
    }
  }

  private mutating func serve(_ request: StoreWriter.Request) {
    switch request {
    case .begin(let session, let hazards):
      self.session = session.id
      attempt { store throws(StoreError) in try store.begin(session, hazards: hazards) }
      keepRoom()
    case .resume(let interrupted):
      session = interrupted.session.id
      hasContent = true
      store.resume(interrupted.session.id, fixCount: interrupted.fixCount)
      keepRoom()
    case .abandon: attempt { store throws(StoreError) in try store.recoverSessions() }
    case .addBoard(let board, let streams, let reply):
      if let session {
        attempt { store throws(StoreError) in
          try store.add(board, streams, session: session)
        }
      }
      reply?.give(())
    case .commit(let batch):
      let isStored = attempt { store throws(StoreError) in
        try store.commit(
          chunks: batch.chunks, fixes: batch.fixes, clock: batch.entries, events: batch.events)
      }
      if isStored, !batch.chunks.isEmpty || !batch.fixes.isEmpty { hasContent = true }
      tell(.committed(isStored: isStored))
      keepRoom()
    case .finish(let end, let tail, let tally):
      last = (end, tail, tally)
    }
  }

  /// Tries an action on the store, unless one failed before. It has failed too if the store's file
  /// is not at its place afterwards: the data in it would never be found.
  @discardableResult
  private mutating func attempt(
    _ action: (inout Store) throws(StoreError) -> Void
  ) -> Bool {
    guard !hasFailed else { return false }
    do throws(StoreError) {
      try action(&store)
      try store.checkPlace()
      return true
    } catch {
      hasFailed = true
      tell(.failed(error))
      return false
    }
  }

  /// Checks the room from time to time, and applies the user's policy when there is none.
  private mutating func keepRoom() {
    let now = BootClock.pair()
    guard lastLook.map({ now.boot.seconds(since: $0) >= Self.lookSeconds }) ?? true else { return }
    lastLook = now.boot
    let looksAtSent =
      lastSentLook.map { now.boot.seconds(since: $0) >= Self.sentLookSeconds } ?? true
    if looksAtSent { lastSentLook = now.boot }
    var space: StoreWriter.Space?
    attempt { store throws(StoreError) in
      let policy = try store.spacePolicy()
      var usage = try store.spaceUsage()
      var dropped = Store.Dropped()
      if looksAtSent, let limit = policy.sentLimit(at: now.utc) {
        dropped = try store.dropSent(before: limit, upTo: Self.sentAtOnce, at: now.utc)
        usage = try store.spaceUsage()
      }
      if case .drop(let bytes, let uploadedOnly) = policy.advice(usage) {
        dropped += try store.makeRoom(bytes: bytes, uploadedOnly: uploadedOnly, at: now.utc)
        usage = try store.spaceUsage()
      }
      space = StoreWriter.Space(state: policy.state(usage), dropped: dropped)
      // With nothing left to drop, every policy ends like the first.
      if policy.state(usage) == .full { throw store.isFull(policy, usage) }
    }
    guard let space, space.state != self.space || space.dropped.chunks > 0 else { return }
    self.space = space.state
    tell(.space(space))
  }

  private consuming func finish(
    at end: BootTime, _ tail: TailSegment?, _ tally: StoreWriter.Tally?
  ) {
    if let session {
      attempt { [hasContent, path] store throws(StoreError) in
        if hasContent {
          let recount = try? tally?.recount(of: session, in: path)
          try store.end(
            session: session, at: end, tally?.statistics.with(recount?.steps ?? []))
        } else {
          try store.discard(session: session)
        }
      }
    }
    let isWhole = !hasFailed
    do throws(StoreError) {
      try store.close()
      // The next program that opens the store takes in the records that could not be stored.
      if isWhole { tail?.remove() }
    } catch {
      tell(.failed(error))
    }
  }
}
