internal import Recording
internal import Values

/// Decides when to open the port, when its line has paused, and what state the receiver is in.
///
/// Told what happened and asked what is due; it has neither clock nor port of its own.
struct ReceiverWatch: Sendable {
  /// The intervals it goes by, in seconds.
  struct Timing: Sendable {
    /// Without an intact sentence for so long the receiver counts as lost, or after three cycles if
    /// that is later.
    var silence = 3.0
    /// Without a byte for so long a burst is over. At 4,800 baud a byte takes 2 ms.
    var pause = 0.2
    /// Waits before the first, second and every further try to open the port.
    var backOff = [1.0, 2.0, 5.0]
    /// When a fix grows old.
    var fixes = FixWatch.Timing()
  }

  /// What the owner of the port should do now.
  enum Action: Hashable, Sendable {
    /// Open the port, then say `opened` or `lost`.
    case open
    /// Publish the epoch that is open.
    case flush
    /// See whether the path still names the open device, and say `lost` if not.
    case checkName
  }

  private enum Port: Sendable {
    /// To be opened at this time. Next: `open`, or `closed` again.
    case closed(retry: BootTime)
    /// Next: `closed`.
    case open
  }

  /// Whether a speed is still being looked for, during which silence means nothing.
  var isHunting = false
  private var fixes: FixWatch
  private let timing: Timing
  private var port: Port
  private var failures = 0
  /// End of the pause after which the epoch is published; `nil` when it was.
  private var pauseEnd: BootTime?
  /// When silence sets in or, during it, the name is looked at again.
  private var silenceEnd: BootTime

  /// A watch over a port that is to be opened at once.
  init(timing: Timing = Timing(), at now: BootTime) {
    self.timing = timing
    fixes = FixWatch(timing: timing.fixes)
    port = .closed(retry: now)
    silenceEnd = now
  }

  /// What the receiver is doing.
  var state: ReceiverState { fixes.state }

  /// The port was opened.
  mutating func opened(at now: BootTime) {
    port = .open
    fixes.become(.searching)
    pauseEnd = nil
    listen(from: now)
  }

  /// The port could not be opened, or went away.
  mutating func lost(at now: BootTime) {
    let wait = timing.backOff[min(failures, timing.backOff.count - 1)]
    failures += 1
    port = .closed(retry: now.advanced(bySeconds: wait))
    fixes.become(.unplugged)
  }

  /// Bytes came; `hasSentence` if they ended an intact sentence.
  mutating func heard(at now: BootTime, hasSentence: Bool) {
    pauseEnd = now.advanced(bySeconds: timing.pause)
    guard hasSentence else { return }
    listen(from: now)
    // Only a port that brings sentences is a success: one that opens and fails at once is not
    // tried every second for ever.
    failures = 0
    if state == .lost { fixes.become(.searching) }
  }

  /// An epoch was reported.
  mutating func reported(_ report: PositionReport, at now: BootTime) {
    fixes.reported(report, at: now)
  }

  /// The next thing to do, until there is none.
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

  /// Seconds until `next` has something to say.
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
