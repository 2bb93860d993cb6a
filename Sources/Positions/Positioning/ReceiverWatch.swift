internal import Recording
internal import Values

/// Decides when to open the port and when its line has paused, and tracks the receiver's state.
///
/// Its input is events and the time; it has neither clock nor port.
struct ReceiverWatch: Sendable {
  /// The intervals it uses, in seconds.
  struct Timing: Sendable {
    /// Time without an intact sentence after which the receiver counts as lost; three cycles if
    /// that is longer.
    var silence = 3.0
    /// Silence that ends a burst. At 4,800 baud a byte takes 2 ms.
    var pause = 0.2
    /// Waits before the first, second and every further attempt to open the port.
    var backOff = [1.0, 2.0, 5.0]
    /// Intervals after which a fix is outdated.
    var fixes = FixWatch.Timing()
  }

  /// The next action for the owner of the port.
  enum Action: Hashable, Sendable {
    /// Open the port, then call `opened` or `lost`.
    case open
    /// Publish the open epoch.
    case flush
    /// Check whether the path still names the open device, and call `lost` if not.
    case checkName
  }

  private enum Port: Sendable {
    /// To be opened at this time. Next: `open`, or `closed` again.
    case closed(retry: BootTime)
    /// Next: `closed`.
    case open
  }

  /// Whether the speed is still being searched for; meanwhile silence means nothing.
  var isHunting = false
  private var fixes: FixWatch
  private let timing: Timing
  private var port: Port
  private var failures = 0
  /// End of the pause after which the epoch is published; `nil` once it is published.
  private var pauseEnd: BootTime?
  /// Time at which silence begins or, during silence, the name is checked again.
  private var silenceEnd: BootTime

  /// A watch over a port that is to be opened at once.
  init(timing: Timing = Timing(), at now: BootTime) {
    self.timing = timing
    fixes = FixWatch(timing: timing.fixes)
    port = .closed(retry: now)
    silenceEnd = now
  }

  /// The receiver's state.
  var state: ReceiverState { fixes.state }

  /// Notes that the port was opened.
  mutating func opened(at now: BootTime) {
    port = .open
    fixes.become(.searching)
    pauseEnd = nil
    listen(from: now)
  }

  /// Notes that the port could not be opened, or disappeared.
  mutating func lost(at now: BootTime) {
    let wait = timing.backOff[min(failures, timing.backOff.count - 1)]
    failures += 1
    port = .closed(retry: now.advanced(bySeconds: wait))
    fixes.become(.unplugged)
  }

  /// Notes that bytes arrived; `hasSentence` if they ended an intact sentence.
  mutating func heard(at now: BootTime, hasSentence: Bool) {
    pauseEnd = now.advanced(bySeconds: timing.pause)
    guard hasSentence else { return }
    listen(from: now)
    // Only a port with sentences counts as a success: one that opens and fails at once is not
    // retried every second for ever.
    failures = 0
    if state == .lost { fixes.become(.searching) }
  }

  /// Notes a reported epoch.
  mutating func reported(_ report: PositionReport, at now: BootTime) {
    fixes.reported(report, at: now)
  }

  /// The next action; `nil` if none is due.
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

  /// Seconds until `next` has an action.
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
