internal import LinuxSystem

/// SIGINT, SIGTERM and SIGHUP for a command: the first asks it to end in order, a second one does
/// not wait.
final class Signals: Sendable {
  private let watch: SignalWatch
  private let arrivals: AsyncStream<ExitStatus>
  private let received: Guarded<ExitStatus?>

  /// Watches from now on; the console's terminal is put in order before a hasty end.
  init(_ console: Console) throws(SystemError) {
    let (arrivals, post) = AsyncStream<ExitStatus>.makeStream()
    let received = Guarded<ExitStatus?>(nil)
    self.arrivals = arrivals
    self.received = received
    watch = try SignalWatch { number in
      let status: ExitStatus = number == SignalWatch.interrupt ? .interrupted : .terminated
      let isFirst = received.withLock { received in
        defer { received = received ?? status }
        return received == nil
      }
      guard isFirst else {
        console.finishPainting()
        // Child processes and temporary folders go with us, whichever way we end.
        ThisProcess.exit(status.rawValue)
      }
      post.yield(status)
    }
  }

  /// How the process is to end for the signal that has come; `.ok` if none has.
  var status: ExitStatus { received.withLock { $0 } ?? .ok }

  /// Does something that a signal cancels: what came of it, or `nil` when it was cancelled so.
  func cancelling<Outcome: Sendable>(
    _ body: @escaping @Sendable () async throws -> Outcome
  ) async throws -> Outcome? {
    let work = Task(operation: body)
    let watch = Task {
      await wait()
      if status != .ok { work.cancel() }
    }
    defer { watch.cancel() }
    do {
      return try await work.value
    } catch {
      // Whatever it failed of, it was told to end.
      guard status == .ok else { return nil }
      throw error
    }
  }

  /// Waits for a signal, or for the task to be cancelled.
  func wait() async {
    for await _ in arrivals { return }
  }
}
