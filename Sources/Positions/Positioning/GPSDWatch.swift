internal import Recording
internal import Values

/// Decides when to connect to gpsd and when to give up, and tracks the state of its receiver.
///
/// This value type is driven by events and by the time passed to it; it uses neither a clock nor a
/// socket.
struct GPSDWatch: Sendable {
  /// Intervals in seconds.
  struct Timing: Sendable {
    /// Delays before the first, second, third and every further attempt to reconnect.
    var backOff = [1.0, 2.0, 5.0, 10.0]
    /// Maximum time to wait for the connection and gpsd's greeting.
    var patience = 10.0
    /// Minimum time without a report after which the receiver is considered lost.
    var silence = 10.0
    /// Time without data that marks the end of a burst.
    var pause = 0.2
    /// Intervals after which a fix is outdated.
    var fixes = FixWatch.Timing()
  }

  /// An action that the socket's owner must perform next.
  enum Action: Hashable, Sendable {
    /// Connect to gpsd, then call `greeted` or `closed`.
    case connect
    /// Close the connection because gpsd took too long to respond, then call `closed`.
    case giveUp
    /// Publish the epoch that is still open.
    case flush
  }

  private enum Phase: Sendable {
    /// Not connected. The next attempt to connect starts at `retry`. Next: `waiting`.
    case closed(retry: BootTime)
    /// Waiting for the connection or the greeting. Next: `watching` or `closed`.
    case waiting(until: BootTime)
    /// Receiving reports from gpsd. Next: `closed`.
    case watching
  }

  private var fixes: FixWatch
  private let timing: Timing
  private var phase: Phase
  private var failures = 0
  private var pauseEnd: BootTime?
  /// Time at which an active receiver will be considered lost if no report arrives.
  private var silenceEnd: BootTime?

  /// Creates a watch that connects to gpsd immediately.
  init(timing: Timing = Timing(), at now: BootTime) {
    self.timing = timing
    fixes = FixWatch(timing: timing.fixes)
    phase = .closed(retry: now)
  }

  var state: ReceiverState { fixes.state }

  /// Records that the connection to gpsd failed or ended.
  mutating func closed(at now: BootTime) {
    let wait = timing.backOff[min(failures, timing.backOff.count - 1)]
    failures += 1
    phase = .closed(retry: now.advanced(bySeconds: wait))
    fixes.become(.noDaemon)
    pauseEnd = nil
    silenceEnd = nil
  }

  /// Records that gpsd sent its greeting and that reports were requested from it.
  mutating func greeted() {
    phase = .watching
    failures = 0
    fixes.become(.searching)
  }

  /// Records whether gpsd has a suitable receiver.
  mutating func hasDevice(_ hasDevice: Bool) {
    if !hasDevice {
      fixes.become(.noDevice)
      silenceEnd = nil
    } else if state.isLoss {
      fixes.become(.searching)
    }
  }

  mutating func lostDevice() {
    fixes.become(.unplugged)
    silenceEnd = nil
  }

  mutating func heard(at now: BootTime) {
    pauseEnd = now.advanced(bySeconds: timing.pause)
  }

  mutating func reported(_ report: PositionReport, at now: BootTime) {
    // Late messages about a receiver that gpsd has lost do not mean that the receiver is back.
    guard state != .unplugged, state != .noDevice, state != .noDaemon else { return }
    fixes.reported(report, at: now)
    silenceEnd = now.advanced(bySeconds: fixes.silence(atLeast: timing.silence))
  }

  /// Returns the next action, or `nil` if none is due.
  mutating func next(at now: BootTime) -> Action? {
    switch phase {
    case .closed(let retry):
      guard retry <= now else { return nil }
      phase = .waiting(until: now.advanced(bySeconds: timing.patience))
      return .connect
    case .waiting(let end):
      return end <= now ? .giveUp : nil
    case .watching:
      if let end = pauseEnd, end <= now {
        pauseEnd = nil
        return .flush
      }
      fixes.pass(at: now)
      if let end = silenceEnd, end <= now {
        silenceEnd = nil
        fixes.become(.lost)
      }
      return nil
    }
  }

  /// Returns the number of seconds until `next` must be called.
  func wait(at now: BootTime) -> Double {
    switch phase {
    case .closed(let time), .waiting(let time): time.seconds(since: now)
    case .watching:
      [pauseEnd, fixes.due, silenceEnd].compactMap { $0?.seconds(since: now) }.min() ?? .infinity
    }
  }
}
