/// The pauses of a task that works in rounds. All of them end at once when the task must end.
public final class Nap: Sendable {
  private struct State: Sendable {
    var sleeper: Task<Void, any Error>?
    var isOver = false
    /// Whether the task was woken since its last pause.
    var isWoken = false
  }

  private let state = Guarded(State())

  /// Pauses of a task that need not end yet.
  public init() {}

  /// Whether the task must end.
  public var isOver: Bool { state.withLock { $0.isOver } }

  /// Pauses for some seconds, unless the task must end or has been woken since its last pause. For
  /// one task at a time.
  public func seconds(_ seconds: Double) async {
    let sleeper = Task { try await Pause.seconds(seconds) }
    let isAwake = state.withLock { state in
      state.sleeper = sleeper
      return state.isOver || state.isWoken
    }
    if isAwake { sleeper.cancel() }
    _ = await sleeper.result
    state.withLock { $0.isWoken = false }
  }

  /// Ends the present pause, or the next one if the task is busy.
  public func wake() {
    let sleeper = state.withLock { state in
      state.isWoken = true
      return state.sleeper
    }
    sleeper?.cancel()
  }

  /// Ends the present pause and all later ones: the task must end.
  public func end() {
    let sleeper = state.withLock { state in
      state.isOver = true
      return state.sleeper
    }
    sleeper?.cancel()
  }
}
