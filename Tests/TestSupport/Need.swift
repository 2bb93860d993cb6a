internal import LinuxSystem
internal import Simulation
public import Testing

/// The resources that a test needs while it runs. Every suite states the need of its tests, and a
/// test with a different need states its own.
///
/// Swift Testing starts all tests at once. A need delays a test until a permit is available, and
/// runs the test on a thread that the test may block. It also reports the start and the end of the
/// test to the watchdog.
public struct Need: SuiteTrait, TestTrait, TestScoping, Equatable {
  private enum Kind {
    case computation
    case realTime
    case simulatedTime
  }

  private let kind: Kind

  /// Applies a suite's need to each of its tests.
  public let isRecursive = true

  /// The need for which the current task's test already has a permit.
  @TaskLocal private static var met: Need?

  /// Runs `function` once the test has a permit.
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    // The last need is the test's own, and the others come from the enclosing suites.
    let own = test.traits.last { $0 is Need } as? Need
    guard Self.met == nil, own == self, testCase != nil else { return try await function() }
    Surroundings.use()
    let permits = kind == .realTime ? Permits.realTime : Permits.computation
    let threads = kind == .realTime ? TestThreads.realTime : TestThreads.computation
    await permits.acquire()
    let run = Watchdog.shared.began(test)
    defer {
      Watchdog.shared.ended(run)
      permits.release()
    }
    try await Self.$met.withValue(self) {
      try await withTaskExecutorPreference(threads) {
        guard kind == .simulatedTime else { return try await function() }
        try await SimulatedRun.live { _ in try await function() }
      }
    }
  }

  fileprivate static let computing = Need(kind: .computation)
  fileprivate static let timed = Need(kind: .realTime)
  fileprivate static let simulated = Need(kind: .simulatedTime)
}

extension Trait where Self == Need {
  /// For a test that only computes, and may use files. The test reads no clock and waits for
  /// nothing external, so it gets a lower priority than tests that do.
  public static var computation: Self { Need.computing }

  /// For a test that waits for a clock, a process, a bus, a socket or a thread. Its time limits are
  /// measured in ``GivenTime``.
  public static var realTime: Self { Need.timed }

  /// For a test that runs, together with the product's code, on a simulated computer whose clock
  /// jumps. The test pauses with `Pause`, and waits for nothing real: no process, no other thread,
  /// no outside socket.
  public static var simulatedTime: Self { Need.simulated }
}

/// Limits how many tests of one kind run at the same time. Tests wait in order of arrival.
final class Permits: Sendable {
  /// Permits for computations, each of which keeps a processor busy.
  static let computation = Permits(1 + Processors.allowed.count)
  /// Permits for tests in real time. These tests mostly wait, but starting a program takes half a
  /// second of processor time.
  static let realTime = Permits(2 + 4 * Processors.allowed.count)

  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Guarded<State>

  init(_ count: Int) {
    state = Guarded(State(free: count))
  }

  /// Waits until a permit is available, and takes it.
  func acquire() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  /// Passes a permit to the test that has waited the longest.
  func release() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
