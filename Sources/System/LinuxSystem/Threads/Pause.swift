/// Pauses of tasks.
public enum Pause {
  /// A pausing task. It is resumed once, whatever happens first.
  package final class Sleeper: Sendable {
    private let caller = Guarded<CheckedContinuation<Void, Never>?>(nil)
    private let isAwake = Guarded(false)

    fileprivate init() {}

    fileprivate func sleep(_ caller: CheckedContinuation<Void, Never>) {
      self.caller.withLock { $0 = caller }
      // It may have been woken before it slept.
      if isAwake.withLock({ $0 }) { resume() }
    }

    /// Ends the pause.
    package func wake() {
      isAwake.withLock { $0 = true }
      resume()
    }

    private func resume() {
      let caller = caller.withLock { $0.take() }
      caller?.resume()
    }
  }

  /// Pauses for some seconds of the boot clock. Throws if the task is cancelled.
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
