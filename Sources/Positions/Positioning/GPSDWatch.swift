internal import Recording
internal import Values

/// Decides when to connect to gpsd and when to give up, and what state the receiver behind it is
/// in.
///
/// Told what happened and asked what is due; it has neither clock nor socket.
struct GPSDWatch: Sendable {
  /// The intervals it goes by, in seconds.
  struct Timing: Sendable {
    /// Waits before the first, second, third and every further try to connect.
    var backOff = [1.0, 2.0, 5.0, 10.0]
    /// A connection that takes longer, or a greeting, does not come.
    var patience = 10.0
    /// Without a word for so long a receiver that had spoken counts as lost.
    var silence = 10.0
    /// Without a byte for so long a burst is over.
    var pause = 0.2
    /// When a fix grows old.
    var fixes = FixWatch.Timing()
  }

  /// What the owner of the socket should do now.
  enum Action: Hashable, Sendable {
    /// Connect, then say `connected` or `closed`.
    case connect
    /// Close what takes too long, and say `closed`.
    case giveUp
    /// Publish the epoch that is open.
    case flush
  }

  private enum Phase: Sendable {
    /// Next: `waiting`, when it is time.
    case closed(retry: BootTime)
    /// For the connection or the greeting. Next: `watching` or `closed`.
    case waiting(until: BootTime)
    /// Next: `closed`.
    case watching
  }

  private var fixes: FixWatch
  private let timing: Timing
  private var phase: Phase
  private var failures = 0
  private var pauseEnd: BootTime?
  /// When a receiver that has spoken counts as lost.
  private var silenceEnd: BootTime?

  /// A watch over a connection that is to be made at once.
  init(timing: Timing = Timing(), at now: BootTime) {
    self.timing = timing
    fixes = FixWatch(timing: timing.fixes)
    phase = .closed(retry: now)
  }

  /// What the receiver is doing.
  var state: ReceiverState { fixes.state }

  /// The connection failed, or ended.
  mutating func closed(at now: BootTime) {
    let wait = timing.backOff[min(failures, timing.backOff.count - 1)]
    failures += 1
    phase = .closed(retry: now.advanced(bySeconds: wait))
    fixes.become(.noDaemon)
    pauseEnd = nil
    silenceEnd = nil
  }

  /// gpsd greeted, and was asked to report.
  mutating func greeted() {
    phase = .watching
    failures = 0
    fixes.become(.searching)
  }

  /// gpsd has receivers, or none that is wanted.
  mutating func hasDevice(_ hasDevice: Bool) {
    if !hasDevice {
      fixes.become(.noDevice)
      silenceEnd = nil
    } else if state.isLoss {
      fixes.become(.searching)
    }
  }

  /// gpsd lost the receiver.
  mutating func lostDevice() {
    fixes.become(.unplugged)
    silenceEnd = nil
  }

  /// Bytes came.
  mutating func heard(at now: BootTime) {
    pauseEnd = now.advanced(bySeconds: timing.pause)
  }

  /// An epoch was reported.
  mutating func reported(_ report: PositionReport, at now: BootTime) {
    // What gpsd had still to say of a receiver that it has lost by now is no sign of life.
    guard state != .unplugged, state != .noDevice, state != .noDaemon else { return }
    fixes.reported(report, at: now)
    silenceEnd = now.advanced(bySeconds: fixes.silence(atLeast: timing.silence))
  }

  /// The next thing to do, until there is none.
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

  /// Seconds until `next` has something to say.
  func wait(at now: BootTime) -> Double {
    switch phase {
    case .closed(let time), .waiting(let time): time.seconds(since: now)
    case .watching:
      [pauseEnd, fixes.due, silenceEnd].compactMap { $0?.seconds(since: now) }.min() ?? .infinity
    }
  }
}
