internal import Glibc
internal import LinuxSystem
public import Testing

/// Gives a test that computes for long a thread of its own, which all such tests share and which gives
/// way to others. The pool of the concurrency runtime has as many threads as there are cores: two
/// computations would hold up every test that waits for a program, a bus or a clock.
public struct ComputationTrait: TestTrait, SuiteTrait, TestScoping {
  /// Every test of a suite is moved.
  public let isRecursive = true

  /// Runs `function` on the thread.
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ComputationThread.shared) { try await function() }
  }
}

extension Trait where Self == ComputationTrait {
  /// The test computes for long and waits for nothing.
  public static var computation: Self { Self() }
}

/// The thread, which runs one job after the other and lives as long as the process.
private final class ComputationThread: TaskExecutor {
  static let shared: ComputationThread = {
    do {
      let executor = try ComputationThread()
      _ = try NamedThread("computation") { executor.run() }
      return executor
    } catch {
      fatalError("\(error)")
    }
  }()

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
