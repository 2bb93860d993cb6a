internal import Recording
internal import Values

/// Decides when to open the port, detects pauses on its line, and tracks the receiver's state.
///
/// This value type is driven by events and by the time passed to it; it uses neither a clock nor a
/// port.
struct ReceiverWatch: Sendable {
  /// Intervals in seconds.
  struct Timing: Sendable {
    /// Time without an intact sentence after which the receiver is considered lost, or three cycles
    /// if that is longer.
    var silence = 3.0
    /// Silence that ends a burst. At 4,800 baud a byte takes 2 ms.
    var pause = 0.2
    /// Delays before the second, third and every later attempt to open the port.
    var backOff = [1.0, 2.0, 5.0]
    /// Intervals after which a fix is outdated.
    var fixes = FixWatch.Timing()
  }

  /// An action that the port's owner must perform next.
  enum Action: Hashable, Sendable {
    /// Open the serial port, then call `opened` or `lost`.
    case open
    /// Publish the epoch that is still open.
    case flush
    /// Check whether the path still refers to the open device. If it does not, call `lost`.
    case checkName
  }

  private enum Port: Sendable {
    /// The port is closed. The next attempt to open it starts at `retry`. Next: `open`, or `closed`
    /// again.
    case closed(retry: BootTime)
    /// The port is open. Next: `closed`.
    case open
  }

  /// Whether the search for the line speed is in progress. Until the search ends, silence does not
  /// mean that the receiver is lost.
  var isHunting = false
  private var fixes: FixWatch
  private let timing: Timing
  private var port: Port
  private var failures = 0
  /// End of the pause after which the open epoch is published, or `nil` once it is published.
  private var pauseEnd: BootTime?
  /// Time at which the receiver will be considered silent. During a silence, the time at which the
  /// port's path is next checked.
  private var silenceEnd: BootTime

  /// Creates a watch that opens the port immediately.
  init(timing: Timing = Timing(), at now: BootTime) {
    self.timing = timing
    fixes = FixWatch(timing: timing.fixes)
    port = .closed(retry: now)
    silenceEnd = now
  }

  var state: ReceiverState { fixes.state }

  mutating func opened(at now: BootTime) {
    port = .open
    fixes.become(.searching)
    pauseEnd = nil
    listen(from: now)
  }

  /// Records that the port could not be opened, or disappeared.
  mutating func lost(at now: BootTime) {
    let wait = timing.backOff[min(failures, timing.backOff.count - 1)]
    failures += 1
    port = .closed(retry: now.advanced(bySeconds: wait))
    fixes.become(.unplugged)
  }

  /// Records that bytes arrived. `hasSentence` indicates whether they ended an intact sentence.
  mutating func heard(at now: BootTime, hasSentence: Bool) {
    pauseEnd = now.advanced(bySeconds: timing.pause)
    guard hasSentence else { return }
    listen(from: now)
    // An opened port is considered working only once it delivers sentences. This limits retries for
    // a port that opens but fails immediately.
    failures = 0
    if state == .lost { fixes.become(.searching) }
  }

  mutating func reported(_ report: PositionReport, at now: BootTime) {
    fixes.reported(report, at: now)
  }

  /// Returns the next action, or `nil` if none is due.
  mutating func next(at now: BootTime) -> Action? {
    switch port {
    case .closed(let retry):
      return now < retry ? nil : .open
    case .open:
      if let end = pauseEnd, end <= now {
        pauseEnd = nil
        return .flush
      }
      fixes.pass(at: now)
      if silenceEnd <= now {
        listen(from: now)
        if !isHunting { fixes.become(.lost) }
        return .checkName
      }
      return nil
    }
  }

  /// Returns the number of seconds until `next` must be called.
  func wait(at now: BootTime) -> Double {
    switch port {
    case .closed(let retry):
      return retry.seconds(since: now)
    case .open:
      return [pauseEnd, fixes.due, silenceEnd].compactMap { $0?.seconds(since: now) }.min() ?? 0
    }
  }

  private mutating func listen(from now: BootTime) {
    silenceEnd = now.advanced(bySeconds: fixes.silence(atLeast: timing.silence))
  }
}
