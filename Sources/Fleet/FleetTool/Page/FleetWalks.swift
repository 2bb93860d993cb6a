internal import CommandLineTool
internal import Fleet
internal import LinuxSystem
internal import Values
internal import Web

/// The walks of a fleet on a thread `walks` of its own, which may wait for the database: their
/// list, and copies of the ones that somebody looks at.
final class FleetWalks: Sendable {
  /// Gets a copy of a walk, or why there is none.
  typealias Told = @Sendable (Result<WalkCopy, PageFault>) -> Void

  /// Something that the thread is asked for.
  enum Job: Sendable {
    /// The newest sessions.
    case sessions(Int, @Sendable (Result<JSONValue, PageFault>) -> Void)
    /// A copy of a walk.
    case copy(Wish)
    /// The end.
    case stop
  }

  /// Somebody who wants to see a walk.
  struct Wish: Sendable {
    var session: UniqueID
    /// The gateway that is meant; `nil` for the only one that has the session.
    var gateway: UniqueID?
    /// Whether a copy has to show what the database has now.
    var isNewest: Bool
    /// Whether a kept copy will do while the database is away, as for a file of an open walk.
    var mayBeKept = false
    /// Until when to wait; then how far the copy is becomes the answer.
    var deadline: BootTime
    var told: Told
  }

  private let jobs: Mailbox<Job>
  private let shelf = Guarded(WalkShelf<WalkCopy>())
  private let thread: NamedThread

  /// The walks of the database that `open` opens, each of which `look` answers for.
  init(
    open: @escaping @Sendable () throws -> DatabaseIntake,
    look: @escaping @Sendable (StoreAnswers) -> PageLook
  ) throws(SystemError) {
    let jobs = try Mailbox<Job>()
    self.jobs = jobs
    thread = try NamedThread("walks") { [shelf] in
      FleetWalksLoop(jobs, shelf, open: open, look: look).run()
    }
  }

  deinit {
    stop()
  }

  /// The newest sessions, as JSON.
  func sessions(
    newest: Int, _ told: @escaping @Sendable (Result<JSONValue, PageFault>) -> Void
  ) {
    if !jobs.post(.sessions(newest, told)) { told(.failure(.isEnding)) }
  }

  /// The copy of a walk that is kept.
  func kept(_ walk: FleetWalk) -> WalkCopy? { shelf.kept(walk) }

  /// Has a walk copied, unless a copy is kept that will do.
  func copy(_ wish: Wish) {
    if !jobs.post(.copy(wish)) { wish.told(.failure(.isEnding)) }
  }

  /// Ends the thread, or leaves it after two seconds: a database may hold it up.
  func stop() {
    _ = jobs.post(.stop)
    thread.join(within: 2)
  }
}
