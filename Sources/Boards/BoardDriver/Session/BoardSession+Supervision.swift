internal import MetaWearProtocol

/// The state needed to supervise a running session's streams.
struct Supervision {
  var watch: SilenceWatch
  /// Whether the session is waiting for the board to respond to a ping.
  var isAsking = false
  /// Whether the packets are being counted once more, because the board did not respond in time.
  var isRecounting = false
  /// Whether the board has responded since the silence started.
  var isAlive = false
  /// Number of times that silent sensors were restarted.
  var restarts = 0
  /// Seconds since the last silence ended.
  var soundSeconds = 0.0
  /// Streams that could not be restored. The session continues with the other streams.
  var dead: Set<Int> = []
  /// Seconds until the sensors of the streams that could not be restored are restarted.
  var retrySeconds = 0.0

  /// Streams that have fallen silent, excluding the streams that could not be restored.
  var silent: [Int] { watch.silent.filter { !dead.contains($0) } }
}

/// Detects silent streams and restores them. The session pings the board, restarts the sensor, and
/// finally sets up the board again. If that fails, it restarts the sensor periodically, or ends the
/// session if no stream has ever sent data. If the board does not respond, the session requests a
/// new link.
extension BoardSession {
  static let sensorRestarts = 3
  static let replays = 2
  /// Seconds between restarts of a sensor whose stream could not be restored.
  static let retrySeconds = 60.0
  /// Maximum delay, in seconds, of a board's data while its adapter connects another board.
  static let disturbanceSeconds = 5.0

  mutating func run() -> [Action] {
    hasRun = true
    hasRunOnLink = true
    hasRetriedCreation = false
    state = .running(
      Supervision(watch: SilenceWatch(packetPeriods: streams.map(\.stream.packetPeriod))))
    return writes(startCommands(of: streams)) + (polls.isEmpty ? [] : [.poll(polls)])
      + [.running(tellsBattery: modules.tellsBattery), .observe(after: SilenceWatch.interval)]
  }

  mutating func excuseSilence() -> [Action] {
    guard case .running(var supervision) = state else { return [] }
    supervision.watch.excuse(seconds: Self.disturbanceSeconds)
    state = .running(supervision)
    return []
  }

  mutating func supervise(_ packets: [UInt64]) -> [Action] {
    guard case .running(var supervision) = state else { return [] }
    if supervision.isRecounting { return recount(packets, supervision) }
    guard !supervision.isAsking else { return [] }
    supervision.watch.observe(packets)
    hasSent = hasSent || packets.contains { $0 > 0 }
    let revived = silenced.intersection(supervision.watch.lively)
    silenced.subtract(revived)
    supervision.dead.subtract(revived)
    let news: [Action] =
      revived.isEmpty ? [] : [.remark("\(signals(of: revived.sorted())): data is arriving again")]
    guard supervision.silent.isEmpty else {
      if supervision.isAlive { return news + revive(supervision) }
      supervision.isAsking = true
      state = .running(supervision)
      attempt = 1
      return news + ping()
    }
    supervision.isAlive = false
    supervision.soundSeconds += SilenceWatch.interval
    if supervision.soundSeconds > supervision.watch.soundSeconds, supervision.dead.isEmpty {
      supervision.restarts = 0
      replaysLeft = Self.replays
    }
    return news + retryDead(supervision)
  }

  /// Restarts the sensors of the streams that could not be restored, if the restart is due. If no
  /// stream could be restored, also pings the board, because no samples show that the board is
  /// alive.
  private mutating func retryDead(_ supervision: Supervision) -> [Action] {
    var supervision = supervision
    defer { state = .running(supervision) }
    let wait = [Action.observe(after: SilenceWatch.interval)]
    guard !supervision.dead.isEmpty else { return wait }
    supervision.retrySeconds -= SilenceWatch.interval
    guard supervision.retrySeconds <= 0 else { return wait }
    supervision.retrySeconds = Self.retrySeconds
    let places = supervision.dead.sorted()
    supervision.isAsking = places.count == streams.count
    attempt = 1
    return [.restarting(places)] + writes(startCommands(of: places.map { streams[$0] }))
      + (supervision.isAsking ? ping() : wait)
  }

  private func signals(of places: [Int]) -> String {
    places.map { streams[$0].setup.signal }.joined(separator: ", ")
  }

  mutating func superviseTimeout() -> [Action] {
    if case .running(var supervision) = state, supervision.isAsking {
      supervision.isRecounting = true
      state = .running(supervision)
    }
    return [.observe(after: 0)]
  }

  /// Handles an unanswered ping. Samples also prove that the board is alive. The response may just
  /// have been lost, and establishing a new link would cost several seconds of samples.
  private mutating func recount(_ packets: [UInt64], _ supervision: Supervision) -> [Action] {
    var supervision = supervision
    supervision.isRecounting = false
    supervision.watch.observe(packets)
    guard supervision.watch.lively.isEmpty else { return noteSignOfLife(supervision) }
    state = .running(supervision)
    guard attempt < Self.attempts else { return relink(because: .silent) }
    attempt += 1
    return ping()
  }

  /// Handles a sign that the board is alive. A stalled link delivers delayed packets before the
  /// board's response, so the packets are counted once more.
  mutating func noteSignOfLife(_ supervision: Supervision) -> [Action] {
    var supervision = supervision
    supervision.isAsking = false
    supervision.isRecounting = false
    supervision.isAlive = true
    state = .running(supervision)
    return [.cancelWait, .observe(after: 0)]
  }

  /// Restores the silent streams of a board that responds.
  private mutating func revive(_ supervision: Supervision) -> [Action] {
    var supervision = supervision
    let places = supervision.silent
    let silent = places.map { streams[$0] }
    let signals = signals(of: places)
    supervision.isAlive = false
    supervision.soundSeconds = 0
    // The silence is reported once, before any remedy. The report explains the missing samples even
    // if the recording ends abruptly before the cause is known.
    let new = places.filter { !silenced.contains($0) }
    silenced.formUnion(new)
    let news: [Action] = new.isEmpty ? [] : [.silent(new, signals: self.signals(of: new))]
    if supervision.restarts < Self.sensorRestarts {
      supervision.restarts += 1
      supervision.watch.forgive()
      state = .running(supervision)
      return news
        + [.remark("\(signals): no data, starting the sensor again"), .restarting(places)]
        + writes(startCommands(of: silent)) + [.observe(after: SilenceWatch.interval)]
    }
    if replaysLeft > 0 {
      replaysLeft -= 1
      isReplaying = true
      return news + [.remark("\(signals): still no data, setting up the board again")]
        + (polls.isEmpty ? [] : [.poll([])]) + setUp()
    }
    supervision.dead.formUnion(places)
    // If no stream has ever sent data, further restarts will not help.
    guard hasSent || supervision.dead.count < streams.count else {
      return end([
        .failed(
          BoardFailure("the board answers, but sends no \(signals)", remedy: Self.brokenSensor))
      ])
    }
    supervision.retrySeconds = Self.retrySeconds
    supervision.watch.forgive()
    state = .running(supervision)
    return news + [.stillSilent(signals: signals), .observe(after: SilenceWatch.interval)]
  }

  public static let brokenSensor =
    "reset the board with its button; if that does not help, its sensor is broken"
}
