internal import Recording
internal import Values

/// Decides when to connect to gpsd and when to give up, and tracks the state of its receiver.
///
/// Its input is events and the time; it has neither clock nor socket.
struct GPSDWatch: Sendable {
  /// The intervals it uses, in seconds.
  struct Timing: Sendable {
    /// Waits before the first, second, third and every further attempt to connect.
    var backOff = [1.0, 2.0, 5.0, 10.0]
    /// Longest wait for the connection or the greeting.
    var patience = 10.0
    /// Silence after which a receiver counts as lost.
    var silence = 10.0
    /// Silence that ends a burst.
    var pause = 0.2
    /// Intervals after which a fix is outdated.
    var fixes = FixWatch.Timing()
  }

  /// The next action for the owner of the socket.
  enum Action: Hashable, Sendable {
    /// Connect, then call `greeted` or `closed`.
    case connect
    /// Close the connection, which takes too long, and call `closed`.
    case giveUp
    /// Publish the open epoch.
    case flush
  }

  private enum Phase: Sendable {
    /// Next: `waiting`, when the time has come.
    case closed(retry: BootTime)
    /// Waiting for the connection or the greeting. Next: `watching` or `closed`.
    case waiting(until: BootTime)
    /// Next: `closed`.
    case watching
  }

  private var fixes: FixWatch
  private let timing: Timing
  private var phase: Phase
  private var failures = 0
  private var pauseEnd: BootTime?
  /// Time at which an active receiver counts as lost.
  private var silenceEnd: BootTime?

  /// A watch over a connection that is to be made at once.
  init(timing: Timing = Timing(), at now: BootTime) {
    self.timing = timing
    fixes = FixWatch(timing: timing.fixes)
    phase = .closed(retry: now)
  }

  /// The receiver's state.
  var state: ReceiverState { fixes.state }

  /// Notes that the connection failed or ended.
  mutating func closed(at now: BootTime) {
    let wait = timing.backOff[min(failures, timing.backOff.count - 1)]
    failures += 1
    phase = .closed(retry: now.advanced(bySeconds: wait))
    fixes.become(.noDaemon)
    pauseEnd = nil
    silenceEnd = nil
  }

  /// Notes that gpsd greeted and was asked to report.
  mutating func greeted() {
    phase = .watching
    failures = 0
    fixes.become(.searching)
  }

  /// Notes whether gpsd has a wanted receiver.
  mutating func hasDevice(_ hasDevice: Bool) {
    if !hasDevice {
      fixes.become(.noDevice)
      silenceEnd = nil
    } else if state.isLoss {
      fixes.become(.searching)
    }
  }

  /// Notes that gpsd lost the receiver.
  mutating func lostDevice() {
    fixes.become(.unplugged)
    silenceEnd = nil
  }

  /// Notes that bytes arrived.
  mutating func heard(at now: BootTime) {
    pauseEnd = now.advanced(bySeconds: timing.pause)
  }

  /// Notes a reported epoch.
  mutating func reported(_ report: PositionReport, at now: BootTime) {
    // Late messages about a receiver that gpsd has lost are not a sign of life.
    guard state != .unplugged, state != .noDevice, state != .noDaemon else { return }
    fixes.reported(report, at: now)
    silenceEnd = now.advanced(bySeconds: fixes.silence(atLeast: timing.silence))
  }

  /// The next action; `nil` if none is due.
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

  /// Seconds until `next` has an action.
  func wait(at now: BootTime) -> Double {
    switch phase {
    case .closed(let time), .waiting(let time): time.seconds(since: now)
    case .watching:
      [pauseEnd, fixes.due, silenceEnd].compactMap { $0?.seconds(since: now) }.min() ?? .infinity
    }
  }
}
