internal import LinuxSystem
internal import Simulation
public import Testing

/// The needs of a running test. Every suite states its need, and a test of another kind states its
/// own.
///
/// Swift Testing begins all tests at once. A need holds a test back until there is a permit for it,
/// and runs it on a thread that it may block. It also reports the test's begin and end to the
/// watchdog.
public struct Need: SuiteTrait, TestTrait, TestScoping, Equatable {
  private enum Kind {
    case computation
    case realTime
    case simulatedTime
  }

  private let kind: Kind

  /// Makes a suite's need the need of each of its tests.
  public let isRecursive = true

  /// The need already met for the test that runs in this task.
  @TaskLocal private static var met: Need?

  /// Runs `function` when there is a permit.
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    // The last need is the test's own. The others belong to the enclosing suites.
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
  /// The test computes, and may use files. It reads no clock and waits for nothing outside itself,
  /// so it gives way to tests that do.
  public static var computation: Self { Need.computing }

  /// The test waits for a clock, a process, a bus, a socket or a thread. Its limits are in
  /// ``GivenTime``.
  public static var realTime: Self { Need.timed }

  /// The test, and the product's code in it, run on a simulated computer whose clock jumps. It
  /// pauses by `Pause`, and waits for nothing real: no process, no other thread, no socket outside.
  public static var simulatedTime: Self { Need.simulated }
}

/// The number of tests of a kind that run at once. Tests wait in the order of their arrival.
final class Permits: Sendable {
  /// A computation keeps a processor busy.
  static let computation = Permits(1 + Processors.allowed.count)
  /// Tests in real time mostly wait, but a program takes half a second of a processor to start.
  static let realTime = Permits(2 + 4 * Processors.allowed.count)

  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Guarded<State>

  init(_ count: Int) {
    state = Guarded(State(free: count))
  }

  /// Waits for a permit and takes it.
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

  /// Gives a permit to the test that has waited longest.
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
