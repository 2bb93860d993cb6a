internal import LinuxSystem
internal import Recording
internal import Storage

/// The thread that owns the store: it commits what the recorder sealed and brings the tail to the disk.
///
/// It alone waits for the disk. The recorder goes on meanwhile and writes the tail, so that a disk which
/// takes seconds for a sync costs nothing when the program is killed in them.
final class StoreKeeper: Sendable {
  /// What is stored in one transaction.
  struct Batch: Sendable {
    var chunks: [Chunk] = []
    var fixes: [Fix] = []
    var entries: [ClockTable.Entry] = []
  }

  /// What the thread is asked to do, in this order.
  enum Request: Sendable {
    /// Begins the session.
    case begin(Session)
    /// Registers a board of it and its streams, and says when they are stored or cannot be.
    case addBoard(BoardIdentity, [StreamDescription], Reply<Void>)
    case commit(Batch)
    /// Brings the tail to the disk as far as it was written.
    case sync(TailSegment)
    /// The second goes on where the first ended: syncs it, and removes the first.
    case replace(TailSegment, by: TailSegment)
    /// Ends the session at a time, closes the store and removes the tail that is not needed any more.
    case finish(BootTime, TailSegment?)
  }

  /// What the recorder is told.
  enum Outcome: Sendable {
    /// The oldest batch that was not answered is stored, or is not.
    case committed(isStored: Bool)
    /// The tail is on the disk as far as it was written when that was asked for.
    case synced
    /// The store cannot be written any more.
    case failed(StoreError)
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
    thread = try NamedThread("keeper") {
      do throws(StoreError) {
        let store = try Store(path: path)
        opening.give(.success(store.tailRecovery))
        StoreKeeperLoop(store, tell).run(mailbox)
      } catch {
        opening.give(.failure(error))
      }
      // Nobody waits for an answer for ever.
      for request in mailbox.shut() {
        if case .addBoard(_, _, let reply) = request { reply.give(()) }
      }
    }
  }

  /// Asks for something. A board that nobody can register any more is answered at once.
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
private struct StoreKeeperLoop: ~Copyable {
  private var store: Store
  private let tell: @Sendable (StoreKeeper.Outcome) -> Void
  private var session: UniqueID?
  /// Whether something could not be written. Nothing is tried after it: what is stored stays without holes.
  private var hasFailed = false

  init(_ store: consuming Store, _ tell: @escaping @Sendable (StoreKeeper.Outcome) -> Void) {
    self.store = store
    self.tell = tell
  }

  /// Serves requests until the last of them; the store is closed then.
  consuming func run(_ mailbox: Mailbox<StoreKeeper.Request>) {
    var polls = PollSet()
    polls.add(mailbox.bell.number)
    while true {
      polls.wait(seconds: nil)
      for request in mailbox.takeAll() {
        if case .finish(let end, let tail) = request { return finish(at: end, tail) }
        serve(request)
      }
    }
  }

  private mutating func serve(_ request: StoreKeeper.Request) {
    switch request {
    case .begin(let session):
      self.session = session.id
      attempt { store throws(StoreError) in try store.begin(session) }
    case .addBoard(let board, let streams, let reply):
      if let session {
        attempt { store throws(StoreError) in
          try store.addBoard(board, session: session)
          for stream in streams {
            try store.addStream(stream, board: board.address, session: session)
          }
        }
      }
      reply.give(())
    case .commit(let batch):
      let isStored = attempt { store throws(StoreError) in
        try store.commit(chunks: batch.chunks, fixes: batch.fixes, clock: batch.entries)
      }
      tell(.committed(isStored: isStored))
    case .sync(let tail):
      attempt { _ throws(StoreError) in try tail.sync() }
      tell(.synced)
    case .replace(let old, let new):
      if attempt({ _ throws(StoreError) in try new.sync() }) { old.remove() }
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

  private consuming func finish(at end: BootTime, _ tail: TailSegment?) {
    if let session {
      attempt { store throws(StoreError) in try store.end(session: session, at: end) }
    }
    let isWhole = !hasFailed
    do throws(StoreError) {
      try store.close()
      // What could not be stored is taken in by whoever opens the store next.
      if isWhole { tail?.remove() }
    } catch {
      tell(.failed(error))
    }
  }
}
