/// The pauses of a task that works in rounds. All of them end at once when the task is to end.
public final class Nap: Sendable {
  private struct State: Sendable {
    var sleeper: Task<Void, any Error>?
    var isOver = false
  }

  private let state = Guarded(State())

  /// Pauses of a task that is not to end yet.
  public init() {}

  /// Whether the task is to end.
  public var isOver: Bool { state.withLock { $0.isOver } }

  /// Pauses for some seconds, unless the task is to end. For one task at a time.
  public func seconds(_ seconds: Double) async {
    let sleeper = Task { try await Pause.seconds(seconds) }
    let isOver = state.withLock { state in
      state.sleeper = sleeper
      return state.isOver
    }
    if isOver { sleeper.cancel() }
    _ = await sleeper.result
  }

  /// Ends the present pause and all later ones: the task is to end.
  public func end() {
    let sleeper = state.withLock { state in
      state.isOver = true
      return state.sleeper
    }
    sleeper?.cancel()
  }
}
