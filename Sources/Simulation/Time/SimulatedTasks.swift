internal import CSwiftTasks

/// Replaces the runtime's thread pool: stores the jobs of tasks that are ready to run.
// Safety: one kernel thread runs everything that uses this object. A job stays in the list until it
// runs, and it runs only once.
@safe final class SimulatedTasks: @unchecked Sendable {
  @safe private enum Piece {
    /// A job for the thread pool.
    case common(UnsafeMutableRawPointer)
    /// A job for the executor that its task prefers.
    case preferred(UnownedJob, any TaskExecutor)
  }

  private var ready: [Piece] = []

  /// Makes the thread pool check, for each job, whether the thread that enqueued it simulates a
  /// computer.
  static let hook: Void = unsafe ctasks_install { job in
    guard let tasks = SimulatedTime.current?.tasks, let job = unsafe job else { return false }
    tasks.ready.append(unsafe .common(job))
    return true
  }

  var count: Int { ready.count }

  func add(_ job: UnownedJob, of executor: any TaskExecutor) {
    ready.append(.preferred(job, executor))
  }

  func run(_ place: Int) {
    switch ready.remove(at: place) {
    case .common(let job): unsafe ctasks_run(job)
    case .preferred(let job, let executor):
      unsafe job.runSynchronously(on: executor.asUnownedTaskExecutor())
    }
  }

  func removeAll() {
    ready.removeAll()
  }
}
