internal import CSwiftTasks

/// The pieces of tasks that are ready to run, instead of the runtime's pool of threads.
// Safety: one thread of the kernel runs everything that uses this object, and a piece belongs to
// the list until it runs, which it does once.
@safe final class SimulatedTasks: @unchecked Sendable {
  @safe private enum Piece {
    /// For the pool of threads.
    case common(UnsafeMutableRawPointer)
    /// For an executor that its task prefers.
    case preferred(UnownedJob, any TaskExecutor)
  }

  private var ready: [Piece] = []

  /// Makes the pool of threads ask for each piece whether the thread that made it simulates a
  /// computer.
  static let hook: Void = unsafe ctasks_install { job in
    guard let tasks = SimulatedTime.current?.tasks, let job = unsafe job else { return false }
    tasks.ready.append(unsafe .common(job))
    return true
  }

  var count: Int { ready.count }

  /// Adds a piece of a task that prefers an executor.
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
