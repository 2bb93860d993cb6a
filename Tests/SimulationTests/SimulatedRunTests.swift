import LinuxSystem
import Simulation
import TestSupport
import Testing
import Values

/// Simulated computers that run in the same process as the real one.
@Suite(.realTime) struct SimulatedRunTests {
  @Test func `hours pass on a simulated computer, but not on the real one`() async throws {
    let start = BootClock.now()
    let passed = try await SimulatedRun.live { _ in
      let start = BootClock.now()
      try await Pause.seconds(10 * 3_600)
      return BootClock.now().seconds(since: start)
    }
    #expect(passed == 36_000)
    #expect(BootClock.now().seconds(since: start) < 3_600)
  }

  @Test func `simulated computers run in parallel, each with its own time`() async throws {
    try await withThrowingTaskGroup(of: (Double, Double).self) { group in
      for number in 1...8 {
        group.addTask {
          try await SimulatedRun.live(seed: UInt64(number)) { time in
            for _ in 0..<100 { try await Pause.seconds(Double(number)) }
            return (Double(number), time.elapsed)
          }
        }
      }
      for try await (number, elapsed) in group { #expect(elapsed == 100 * number) }
    }
  }

  @Test
  func `random numbers come from the seed on a simulated computer, and from the system elsewhere`()
    async throws
  {
    func numbers(_ seed: UInt64) async throws -> [UInt64] {
      try await SimulatedRun.live(seed: seed) { _ in (0..<4).map { _ in Chance().next() } }
    }
    #expect(try await numbers(5) == numbers(5))
    #expect(try await numbers(5) != numbers(6))
    #expect(Chance().next() != Chance().next())
  }

  @Test func `tasks and threads started in a simulated run belong to the simulated computer`()
    async throws
  {
    let elapsed = try await SimulatedRun.live { time in
      let sum = Guarded(0.0)
      let thread = try NamedThread("adder") { sum.withLock { $0 += 1 } }
      let task = Task.detached {
        try await Pause.seconds(7)
        sum.withLock { $0 += time.elapsed }
      }
      try await task.value
      thread.join()
      return sum.withLock { $0 } - 1
    }
    #expect(elapsed == 7)
  }

  @Test func `an error thrown in a simulated run is rethrown to the caller`() async {
    await #expect(throws: CancellationError.self) {
      try await SimulatedRun.live { _ in throw CancellationError() }
    }
  }
}
