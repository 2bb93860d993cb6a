internal import LinuxSystem
internal import Recording
public import Storage
internal import Values

/// The thread that owns the store and commits the chunks sealed by the recorder.
///
/// While this thread waits for the disk, the recorder continues to write the tail. If the program
/// is killed while a slow disk syncs for seconds, the tail contains the samples.
public final class StoreWriter: Sendable {
  struct Batch: Sendable {
    var chunks: [Chunk] = []
    var fixes: [Fix] = []
    var entries: [ClockTable.Entry] = []
    var events: [SessionEvent] = []
  }

  /// The free space for the store, and the chunks deleted to free space.
  public struct Space: Hashable, Sendable {
    /// Whether there is enough, little or no space.
    public var state: SpacePolicy.State
    /// The chunks that were deleted because of the space policy.
    public var dropped: Store.Dropped
  }

  /// Requests to the thread, processed in order.
  enum Request: Sendable {
    case begin(Session, [Hazard])
    /// Continue the session that an earlier recorder began.
    case resume(InterruptedSession)
    /// End the interrupted session, which could have been continued but was not.
    case abandon
    /// Register one of the session's boards and its streams. The optional reply is sent once they
    /// are stored or cannot be stored.
    case addBoard(BoardIdentity, [StreamDescription], Reply<Void>?)
    case commit(Batch)
    /// End the session at this time with its statistics, close the store, and remove the tail,
    /// which is no longer needed.
    case finish(BootTime, TailSegment?, SessionStatistics?)
  }

  enum Outcome: Sendable {
    /// The writer has stored the oldest unconfirmed batch, or has failed to.
    case committed(isStored: Bool)
    /// The free space has changed, or chunks were deleted to free space.
    case space(Space)
    /// The store can no longer be written to.
    case failed(StoreError)

    /// Whether the recorder needs the outcome immediately. The recorder reads all other outcomes
    /// when it next checks its rings.
    var isUrgent: Bool {
      switch self {
      case .committed: false
      case .space, .failed: true
      }
    }
  }

  private let mailbox: Mailbox<Request>
  private let thread: NamedThread

  /// The result of opening the store: the data recovered from an interrupted recorder's tail, and
  /// that recorder's session if the session can be continued.
  struct Opened: Sendable {
    var recovery: TailRecovery?
    var interrupted: InterruptedSession?
  }

  typealias Opening = Result<Opened, StoreError>

  /// Starts the thread, which opens the store at `path` and calls `opened` with the result. With
  /// `mayContinue`, the thread looks for an interrupted session.
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
        // Recovering a long tail needs much more memory than recording does.
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

  /// Sends a request. If a board can no longer be registered, its request fails immediately.
  func ask(_ request: Request) {
    guard !mailbox.post(request), case .addBoard(_, _, let reply) = request else { return }
    reply?.give(())
  }

  /// Waits until all requests have been processed. The last request must be `finish`.
  func join() {
    thread.join()
  }
}

private struct StoreWriterLoop: ThreadLoop, ~Copyable {
  private var store: Store
  private let path: String
  private let mailbox: Mailbox<StoreWriter.Request>
  private var polls = PollSet()
  private let tell: @Sendable (StoreWriter.Outcome) -> Void
  private var session: UniqueID?
  /// Whether the session has a chunk or a fix. A session without either is deleted.
  private var hasContent = false
  /// Whether a write has failed. Nothing is written after that, so the stored samples have no gaps.
  private var hasFailed = false
  /// Seconds between checks of the store's path while there is nothing to write.
  private static let placeSeconds = 0.5
  /// Seconds between checks of the free space.
  private static let lookSeconds = 10.0
  private var lastLook: BootTime?
  /// Seconds between searches for chunks sent long ago, and the maximum number of chunks that one
  /// search deletes. A search reads one row per sent chunk.
  private static let sentLookSeconds = 600.0
  private static let sentAtOnce = 1_024
  private var lastSentLook: BootTime?
  private var space = SpacePolicy.State.ok
  /// The `finish` request's parameters, or `nil` before it arrives.
  private var last: (end: BootTime, tail: TailSegment?, statistics: SessionStatistics?)?

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

  consuming func end() {
    let mailbox = mailbox
    if let last { finish(at: last.end, last.tail, last.statistics) }
    Self.shut(mailbox)
  }

  /// Rejects further requests, so that no caller waits forever for a reply.
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
    case .finish(let end, let tail, let statistics):
      last = (end, tail, statistics)
    }
  }

  /// Performs an action on the store, unless an earlier one failed. The action also fails if the
  /// store's file is no longer at its path afterwards, because the written data would never be
  /// found.
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

  /// Checks the free space periodically, and applies the user's policy if there is too little.
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
      // When no more chunks can be deleted, the recording is stopped under every policy.
      if policy.state(usage) == .full { throw store.isFull(policy, usage) }
    }
    guard let space, space.state != self.space || space.dropped.chunks > 0 else { return }
    self.space = space.state
    tell(.space(space))
  }

  private consuming func finish(
    at end: BootTime, _ tail: TailSegment?, _ statistics: SessionStatistics?
  ) {
    if let session {
      attempt { [hasContent] store throws(StoreError) in
        if hasContent {
          try store.end(session: session, at: end, statistics)
        } else {
          try store.discard(session: session)
        }
      }
    }
    let isWhole = !hasFailed
    do throws(StoreError) {
      try store.close()
      // The next program that opens the store recovers the records that could not be stored.
      if isWhole { tail?.remove() }
    } catch {
      tell(.failed(error))
    }
  }
}
