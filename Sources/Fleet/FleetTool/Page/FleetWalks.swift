internal import CommandLineTool
internal import Fleet
internal import LinuxSystem
internal import Values
internal import Web

/// Provides a list of a fleet's walks, and copies of the walks that are being viewed. The work runs
/// on its own thread, `walks`, which may block on the database.
final class FleetWalks: Sendable {
  /// A function that is called with a copy of a walk, or with the error.
  typealias Told = @Sendable (Result<WalkCopy, PageFault>) -> Void

  /// A request to the thread `walks`.
  enum Job: Sendable {
    /// List the newest sessions.
    case sessions(Int, @Sendable (Result<JSONValue, PageFault>) -> Void)
    case copy(Wish)
    case stop
  }

  /// A request for a copy of a walk.
  struct Wish: Sendable {
    var session: UniqueID
    /// The walk's gateway; `nil` to select the only gateway that has the session.
    var gateway: UniqueID?
    /// Whether the copy must match the database's current content.
    var isNewest: Bool
    /// Whether a cached copy is sufficient while the database is unreachable. Set for downloads,
    /// and for the charts, track and tasks of a walk.
    var mayBeKept = false
    /// The time at which an incomplete copy's progress is reported to the caller.
    var deadline: BootTime
    var told: Told
  }

  private let jobs: Mailbox<Job>
  private let shelf = Guarded(WalkShelf<WalkCopy>())
  private let thread: NamedThread

  /// Starts the thread. `open` opens the database. For each copy of a walk, `look` creates the
  /// object that uses the copy to answer requests.
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

  func sessions(
    newest: Int, _ told: @escaping @Sendable (Result<JSONValue, PageFault>) -> Void
  ) {
    if !jobs.post(.sessions(newest, told)) { told(.failure(.isEnding)) }
  }

  func kept(_ walk: FleetWalk) -> WalkCopy? { shelf.kept(walk) }

  /// Copies a walk, unless a suitable copy is cached.
  func copy(_ wish: Wish) {
    if !jobs.post(.copy(wish)) { wish.told(.failure(.isEnding)) }
  }

  /// Ends the thread. Waits at most two seconds for it, because the database may block it.
  func stop() {
    _ = jobs.post(.stop)
    thread.join(within: 2)
  }
}
