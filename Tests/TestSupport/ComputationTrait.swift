internal import Glibc
internal import LinuxSystem
public import Testing

/// Gives a test that computes for long one of two threads, which all such tests share and which give
/// way to others. The pool of the concurrency runtime has as many threads as there are cores: two
/// computations would hold up every test that waits for a program, a bus or a clock.
public struct ComputationTrait: TestTrait, SuiteTrait, TestScoping {
  /// Every test of a suite is moved.
  public let isRecursive = true

  /// Runs `function` on one of the threads.
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ComputationThread.next()) { try await function() }
  }
}

extension Trait where Self == ComputationTrait {
  /// The test computes for long and waits for nothing.
  public static var computation: Self { Self() }
}

/// A thread that runs one job after the other and lives as long as the process.
private final class ComputationThread: TaskExecutor {
  private static let first = started()
  private static let second = started()
  private static let isSecondsTurn = Guarded(false)

  /// The two take turns.
  static func next() -> ComputationThread {
    let isSecond = isSecondsTurn.withLock { isSecond in
      defer { isSecond.toggle() }
      return isSecond
    }
    return isSecond ? second : first
  }

  private static func started() -> ComputationThread {
    do {
      let executor = try ComputationThread()
      _ = try NamedThread("computation") { executor.run() }
      return executor
    } catch {
      fatalError("\(error)")
    }
  }

  private let jobs: Mailbox<UnownedJob>

  private init() throws {
    jobs = try Mailbox()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    _ = jobs.post(UnownedJob(job))
  }

  private func run() {
    // On Linux every thread has a priority of its own.
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
    var bell = PollSet()
    bell.add(jobs.bell.number)
    while true {
      bell.wait(seconds: nil)
      for job in jobs.takeAll() { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }
}
