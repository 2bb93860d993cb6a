internal import LinuxSystem

/// Runs a task on a simulated computer, including everything that the task starts.
///
/// In this example, a minute passes instantly:
///
///     let seconds = try await SimulatedRun.live { time in
///       try await Pause.seconds(60)
///       return time.elapsed
///     }
public enum SimulatedRun {
  /// Runs a closure on a new simulated computer, on a separate thread. The computer exists until
  /// the closure returns. If the closure is still running after a day of simulated time, it is
  /// assumed to be stuck, and the process traps.
  public static func live<Value: Sendable>(
    seed: UInt64 = 1, _ body: @Sendable (SimulatedTime) async throws -> Value
  ) async throws -> Value {
    let executor = try SimulatedExecutor(SimulatedTime(seed: seed))
    return try await withTaskExecutorPreference(executor) {
      defer { executor.close() }
      return try await body(executor.time)
    }
  }
}

/// Runs the jobs of one task on the thread that simulates a computer.
// Safety: `isOver` is used only by the simulating thread. The other properties are either constant
// or protected by a monitor.
private final class SimulatedExecutor: TaskExecutor, @unchecked Sendable {
  private static let day = 86_400.0

  let time: SimulatedTime
  /// The first job, which is enqueued by another thread.
  private let first = Monitor<UnownedJob?>(nil)
  private var isOver = false

  init(_ time: SimulatedTime) throws(SystemError) {
    self.time = time
    try NamedThread("simulation") { self.run() }.letGo()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if SimulatedTime.current === time {
      time.tasks.add(job, of: self)
    } else {
      first.change { $0 = job }
    }
  }

  /// Ends the simulation after the current job. Other threads run the rest of the task.
  func close() {
    isOver = true
    time.remove()
  }

  private func run() {
    let job = first.wait { $0 }
    time.install()
    if let job { time.tasks.add(job, of: self) }
    time.after(Self.day) {
      preconditionFailure("a task on a simulated computer has not ended after a day")
    }
    time.run { isOver }
  }
}
