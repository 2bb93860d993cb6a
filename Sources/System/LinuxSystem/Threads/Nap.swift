/// Pauses a task that works in rounds. All pauses end at once when the task must end.
public final class Nap: Sendable {
  private struct State: Sendable {
    var sleeper: Task<Void, any Error>?
    var isOver = false
    /// Whether the task has been woken since its last pause.
    var isWoken = false
  }

  private let state = Guarded(State())

  public init() {}

  /// Whether the task must end.
  public var isOver: Bool { state.withLock { $0.isOver } }

  /// Pauses for `seconds`. Returns at once if the task must end, or has been woken since its last
  /// pause. Only one task may use this object.
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

  /// Ends the current pause. If the task is not paused, its next pause ends at once.
  public func wake() {
    let sleeper = state.withLock { state in
      state.isWoken = true
      return state.sleeper
    }
    sleeper?.cancel()
  }

  /// Ends the current pause and all later ones, because the task must end.
  public func end() {
    let sleeper = state.withLock { state in
      state.isOver = true
      return state.sleeper
    }
    sleeper?.cancel()
  }
}
