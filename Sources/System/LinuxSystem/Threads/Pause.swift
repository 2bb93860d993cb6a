public enum Pause {
  /// A paused task. It is resumed exactly once, by the first event that ends the pause.
  package final class Sleeper: Sendable {
    private let caller = Guarded<CheckedContinuation<Void, Never>?>(nil)
    private let isAwake = Guarded(false)

    fileprivate init() {}

    fileprivate func sleep(_ caller: CheckedContinuation<Void, Never>) {
      self.caller.withLock { $0 = caller }
      // The task may be woken even before it goes to sleep.
      if isAwake.withLock({ $0 }) { resume() }
    }

    package func wake() {
      isAwake.withLock { $0 = true }
      resume()
    }

    private func resume() {
      let caller = caller.withLock { $0.take() }
      caller?.resume()
    }
  }

  /// Pauses the task for a number of seconds, as measured by the boot clock. Throws if the task is
  /// cancelled.
  public static func seconds(_ seconds: Double) async throws(CancellationError) {
    if let computer = Computer.simulated {
      let sleeper = Sleeper()
      await withTaskCancellationHandler {
        await withCheckedContinuation { caller in
          computer.wake(sleeper, after: seconds)
          sleeper.sleep(caller)
        }
      } onCancel: {
        sleeper.wake()
      }
      if Task.isCancelled { throw CancellationError() }
    } else {
      do {
        try await Task.sleep(for: .seconds(seconds))
      } catch {
        throw CancellationError()
      }
    }
  }
}
