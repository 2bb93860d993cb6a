internal import LinuxSystem

/// Handles SIGINT, SIGTERM and SIGHUP for a command that shuts down cleanly, for the lifetime of
/// this object. The first signal asks the command to end; a second one ends the process at once.
public final class Signals: Sendable {
  private let desk: SignalDesk

  /// Starts handling the console's signals. If `reload` is given, SIGHUP calls it and does not end
  /// the command.
  public init(_ console: Console, reload: (@Sendable () -> Void)? = nil) {
    desk = console.signals
    desk.take(true)
    if let reload { desk.giveReload(to: reload) }
  }

  deinit {
    desk.take(false)
    desk.giveReload(to: nil)
  }

  /// The exit status for the first signal; `.ok` before a signal arrives.
  public var status: ExitStatus { desk.received ?? .ok }

  /// Sets the exit status for a second signal. Use this when the command's work is done and stored,
  /// and only an optional question remains.
  public func leave(with status: ExitStatus) {
    desk.leave(with: status)
  }

  /// Runs an operation that is cancelled by a signal. Returns its result, or `nil` if a signal
  /// cancelled it.
  public func cancelling<Outcome: Sendable>(
    _ body: @escaping @Sendable () async throws -> Outcome
  ) async throws -> Outcome? {
    let work = Task(operation: body)
    // The task must not capture `self`. If the task ended late, signals would still go to a command
    // that no longer waits for them.
    let watch = Task { [desk] in
      await desk.wait()
      if desk.received != nil { work.cancel() }
    }
    defer { watch.cancel() }
    do {
      return try await work.value
    } catch {
      // The operation was cancelled, so its error does not matter.
      guard status == .ok else { return nil }
      throw error
    }
  }

  /// Waits until a signal has arrived or the task is cancelled.
  public func wait() async {
    await desk.wait()
  }

  /// Waits until a signal has arrived, the stream ends or the task is cancelled.
  public func wait(orFor end: AsyncStream<Never>) async {
    await withTaskGroup { group in
      group.addTask { await self.wait() }
      group.addTask { for await _ in end {} }
      await group.next()
      group.cancelAll()
    }
  }
}
