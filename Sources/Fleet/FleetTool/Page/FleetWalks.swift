internal import CommandLineTool
internal import Fleet
internal import LinuxSystem
internal import Values
internal import Web

/// The walks of a fleet: their list, and copies of the ones that are being viewed. They have their
/// own thread, `walks`, which may wait for the database.
final class FleetWalks: Sendable {
  /// Called with a copy of a walk, or the error.
  typealias Told = @Sendable (Result<WalkCopy, PageFault>) -> Void

  /// A request to the thread.
  enum Job: Sendable {
    /// The newest sessions.
    case sessions(Int, @Sendable (Result<JSONValue, PageFault>) -> Void)
    /// A copy of a walk.
    case copy(Wish)
    /// The end.
    case stop
  }

  /// A request to see a walk.
  struct Wish: Sendable {
    var session: UniqueID
    /// `nil` for the only gateway that has the session.
    var gateway: UniqueID?
    /// Whether the copy has to show the present content of the database.
    var isNewest: Bool
    /// Whether a kept copy is enough while the database is away, as for a file of an open walk.
    var mayBeKept = false
    /// Deadline after which the progress of the copy is the answer.
    var deadline: BootTime
    var told: Told
  }

  private let jobs: Mailbox<Job>
  private let shelf = Guarded(WalkShelf<WalkCopy>())
  private let thread: NamedThread

  /// The walks of the database that `open` opens. `look` answers for each of them.
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

  /// Copies a walk, unless a suitable copy is kept.
  func copy(_ wish: Wish) {
    if !jobs.post(.copy(wish)) { wish.told(.failure(.isEnding)) }
  }

  /// Ends the thread, or abandons it after two seconds: the database may block it.
  func stop() {
    _ = jobs.post(.stop)
    thread.join(within: 2)
  }
}
