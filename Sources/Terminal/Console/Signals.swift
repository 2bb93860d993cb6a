internal import LinuxSystem

/// SIGINT, SIGTERM and SIGHUP for a command that ends in order, for the lifetime of this object.
/// The first signal asks the command to end; a second one does not wait.
public final class Signals: Sendable {
  private let desk: SignalDesk

  /// Takes the signals of the console's terminal from now on. With `reload`, SIGHUP calls it and
  /// ends nothing.
  public init(_ console: Console, reload: (@Sendable () -> Void)? = nil) {
    desk = console.signals
    desk.take(true)
    if let reload { desk.giveReload(to: reload) }
  }

  deinit {
    desk.take(false)
    desk.giveReload(to: nil)
  }

  /// The exit status for the signal that has arrived; `.ok` without one.
  public var status: ExitStatus { desk.received ?? .ok }

  /// Does something that a signal cancels. Returns its result, or `nil` if a signal cancelled it.
  public func cancelling<Outcome: Sendable>(
    _ body: @escaping @Sendable () async throws -> Outcome
  ) async throws -> Outcome? {
    let work = Task(operation: body)
    // Not `self`: a task that ends late would take signals that nobody waits for.
    let watch = Task { [desk] in
      await desk.wait()
      if desk.received != nil { work.cancel() }
    }
    defer { watch.cancel() }
    do {
      return try await work.value
    } catch {
      // It was asked to end, whatever its error.
      guard status == .ok else { return nil }
      throw error
    }
  }

  /// Waits for a signal, if none has arrived yet, or for the task to be cancelled.
  public func wait() async {
    await desk.wait()
  }

  /// The same, or for a stream to end.
  public func wait(orFor end: AsyncStream<Never>) async {
    await withTaskGroup { group in
      group.addTask { await self.wait() }
      group.addTask { for await _ in end {} }
      await group.next()
      group.cancelAll()
    }
  }
}
