internal import Dispatch
internal import Glibc
internal import LinuxSystem

/// Threads that run tests. Each concurrent job gets a thread of its own.
///
/// The concurrency runtime has one thread per processor, so a small computer has only one. If a
/// test blocked this thread in a system call or while waiting for a child, the work that the test
/// waits for might find no thread. On these threads, a test blocks only its own thread.
final class TestThreads: TaskExecutor {
  /// Threads for tests with time limits.
  static let realTime = TestThreads(named: "test", priority: 0)
  /// Threads for tests that compute, which run at lower priority.
  static let computation = TestThreads(named: "computation", priority: 5)

  /// The maximum number of idle threads that are kept for later tests.
  private static let mostIdle = 8

  private enum Next {
    case run(UnownedJob)
    case wait
    case end
  }

  private struct State {
    var jobs: [UnownedJob] = []
    /// The number of waiting threads that have not yet been woken.
    var idle = 0
  }

  private let name: String
  private let priority: Int32
  private let state = Guarded(State())
  private let bell = DispatchSemaphore(value: 0)

  private init(named name: String, priority: Int32) {
    self.name = name
    self.priority = priority
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isThreadIdle = state.withLock { state in
      state.jobs.append(job)
      guard state.idle > 0 else { return false }
      state.idle -= 1
      return true
    }
    if isThreadIdle {
      bell.signal()
    } else {
      do {
        try NamedThread(name) { self.run() }.letGo()
      } catch {
        fatalError("\(error)")
      }
    }
  }

  private func run() {
    // On Linux, every thread has its own priority.
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, priority)
    while true {
      let next = state.withLock { state -> Next in
        guard state.jobs.isEmpty else { return .run(state.jobs.removeFirst()) }
        guard state.idle < Self.mostIdle else { return .end }
        state.idle += 1
        return .wait
      }
      switch next {
      case .run(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
      case .wait: bell.wait()
      case .end: return
      }
    }
  }
}
