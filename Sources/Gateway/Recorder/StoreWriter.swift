internal import LinuxSystem
internal import Recording
public import Storage
internal import Values

/// The thread that owns the store: it commits what the recorder sealed.
///
/// It waits for the disk. The recorder goes on meanwhile and writes the tail, so that a disk which
/// takes seconds for a sync costs nothing when the program is killed in them.
public final class StoreWriter: Sendable {
  /// The content of one transaction.
  struct Batch: Sendable {
    var chunks: [Chunk] = []
    var fixes: [Fix] = []
    var entries: [ClockTable.Entry] = []
    var events: [SessionEvent] = []
  }

  /// How much room there is, and which chunks were deleted for it.
  public struct Space: Hashable, Sendable {
    /// Enough, little or none.
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
    /// Registers a board of it and its streams, and says when they are stored or cannot be.
    case addBoard(BoardIdentity, [StreamDescription], Reply<Void>)
    case commit(Batch)
    /// Ends the session at a time with its statistics, closes the store and removes the tail, which
    /// is no longer needed.
    case finish(BootTime, TailSegment?, Tally)
  }

  /// An answer to the recorder.
  enum Outcome: Sendable {
    /// The oldest batch that was not answered is stored, or is not.
    case committed(isStored: Bool)
    /// There is more or less room than before, or some was made.
    case space(Space)
    /// The store cannot be written any more.
    case failed(StoreError)

    /// Whether a caller waits for it; the others are read in the next round.
    var isUrgent: Bool {
      switch self {
      case .committed: false
      case .space, .failed: true
      }
    }
  }

  private let mailbox: Mailbox<Request>
  private let thread: NamedThread

  /// How the store was opened, and what it took in of a recorder that was cut off.
  typealias Opening = Result<TailRecovery?, StoreError>

  /// Starts the thread, which opens the store at `path` and says so.
  init(
    _ path: String, opening: Reply<Opening>, tell: @escaping @Sendable (Outcome) -> Void
  ) throws(SystemError) {
    let mailbox = try Mailbox<Request>()
    self.mailbox = mailbox
    thread = try NamedThread("store") {
      do throws(StoreError) {
        let store = try Store(path: path)
        opening.give(.success(store.tailRecovery))
        StoreWriterLoop(store, at: path, tell).run(mailbox)
      } catch {
        opening.give(.failure(error))
      }
      // No caller waits for an answer for ever.
      for request in mailbox.shut() {
        if case .addBoard(_, _, let reply) = request { reply.give(()) }
      }
    }
  }

  /// Asks for something. A board that can no longer be registered is answered at once.
  func ask(_ request: Request) {
    guard !mailbox.post(request), case .addBoard(_, _, let reply) = request else { return }
    reply.give(())
  }

  /// Returns when everything that was asked for is done; the last must have been `finish`.
  func join() {
    thread.join()
  }
}

/// The body of the thread.
private struct StoreWriterLoop: ~Copyable {
  private var store: Store
  private let path: String
  private let tell: @Sendable (StoreWriter.Outcome) -> Void
  private var session: UniqueID?
  /// Whether it has a chunk or a fix. Without either it is not kept.
  private var hasContent = false
  /// Whether a write has failed. The thread tries no other write after it, so the stored samples
  /// have no holes.
  private var hasFailed = false
  /// Seconds from one look at the room to the next.
  private static let lookSeconds = 10.0
  private var lastLook: BootTime?
  /// Seconds from one look for chunks sent long ago to the next, and the most chunks that one look
  /// deletes. It reads a row of each chunk that was sent.
  private static let sentLookSeconds = 600.0
  private static let sentAtOnce = 1_024
  private var lastSentLook: BootTime?
  private var space = SpacePolicy.State.ok

  init(
    _ store: consuming Store, at path: String,
    _ tell: @escaping @Sendable (StoreWriter.Outcome) -> Void
  ) {
    self.store = store
    self.path = path
    self.tell = tell
  }

  /// Serves requests until the last of them; the store is closed then.
  consuming func run(_ mailbox: Mailbox<StoreWriter.Request>) {
    var polls = PollSet()
    polls.add(mailbox.bell.number)
    while true {
      polls.wait(seconds: nil)
      for request in mailbox.takeAll() {
        if case .finish(let end, let tail, let tally) = request {
          return finish(at: end, tail, tally)
        }
        serve(request)
      }
    }
  }

  private mutating func serve(_ request: StoreWriter.Request) {
    switch request {
    case .begin(let session, let hazards):
      self.session = session.id
      attempt { store throws(StoreError) in try store.begin(session, hazards: hazards) }
      keepRoom()
    case .addBoard(let board, let streams, let reply):
      if let session {
        attempt { store throws(StoreError) in
          try store.add(board, streams, session: session)
        }
      }
      reply.give(())
    case .commit(let batch):
      let isStored = attempt { store throws(StoreError) in
        try store.commit(
          chunks: batch.chunks, fixes: batch.fixes, clock: batch.entries, events: batch.events)
      }
      if isStored, !batch.chunks.isEmpty || !batch.fixes.isEmpty { hasContent = true }
      tell(.committed(isStored: isStored))
      keepRoom()
    case .finish:
      preconditionFailure("the last request ends the loop")
    }
  }

  /// Does something, unless something failed before.
  @discardableResult
  private mutating func attempt(
    _ action: (inout Store) throws(StoreError) -> Void
  ) -> Bool {
    guard !hasFailed else { return false }
    do throws(StoreError) {
      try action(&store)
      return true
    } catch {
      hasFailed = true
      tell(.failed(error))
      return false
    }
  }

  /// Looks at the room from time to time, and does what the user wants done when there is none.
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
      // With nothing left to be dropped every policy ends like the first.
      if policy.state(usage) == .full { throw store.isFull(policy, usage) }
    }
    guard let space, space.state != self.space || space.dropped.chunks > 0 else { return }
    self.space = space.state
    tell(.space(space))
  }

  private consuming func finish(
    at end: BootTime, _ tail: TailSegment?, _ tally: StoreWriter.Tally
  ) {
    if let session {
      attempt { [hasContent, path] store throws(StoreError) in
        if hasContent {
          let recount = try? tally.recount(of: session, in: path)
          try store.end(
            session: session, at: end, tally.statistics.with(recount?.steps ?? []))
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
