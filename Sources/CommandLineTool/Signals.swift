internal import LinuxSystem

/// SIGINT and SIGTERM for a command: the first asks it to end in order, a second one does not wait.
final class Signals: Sendable {
  private let watch: SignalWatch
  private let arrivals: AsyncStream<ExitStatus>

  init() throws(SystemError) {
    let (arrivals, post) = AsyncStream<ExitStatus>.makeStream()
    let isSecond = StopFlag()
    self.arrivals = arrivals
    watch = try SignalWatch { number in
      let status: ExitStatus = number == SignalWatch.terminate ? .terminated : .interrupted
      // Child processes end with us, whichever way we go.
      if isSecond.isRaised { ThisProcess.exit(status.rawValue) }
      isSecond.raise()
      post.yield(status)
    }
  }

  /// How the process is to end, as soon as a signal has come.
  ///
  /// Returns `.ok` when the task is cancelled before.
  func first() async -> ExitStatus {
    for await status in arrivals { return status }
    return .ok
  }
}
