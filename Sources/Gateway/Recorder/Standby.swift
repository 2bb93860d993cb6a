internal import BoardDriver
internal import Positioning
internal import Recording
internal import Values

/// Decides when a recording's sessions begin and end, and buffers arriving data until it is known
/// which session the data belongs to.
///
/// If the recording is one session, that session begins immediately and receives all the data. If
/// sessions depend on walking, data is buffered between sessions, and while the wearer rests during
/// a session.
struct Standby: Sendable {
  /// A stream's state for the live view between sessions.
  private struct Stream: Sendable {
    let board: UInt16
    var live: LiveStatus.Stream
    var rate = RateMeter()
    var latest: Reading?
    /// The number of samples waiting for a session.
    var waiting: UInt64 = 0
  }

  /// The rule for sessions that depend on walking, or `nil` if the recording is one session.
  private var rule: WalkingRule?
  private var preRoll = PreRoll()
  private var preRollSeconds = 0.0
  /// The last command. A command that arrives before the recording is opened applies from the
  /// start.
  private var lastCommand: RecordingWish.Command?
  private var streams: [Stream] = []
  /// Index in `streams` of each board's first stream, by board number.
  private var firstStreams: [Int?] = []
  private var track = RecordedTrack()
  /// Each board's latest settings and the receiver's latest state. Each session begins with these
  /// events.
  private var standing: [SessionEvent] = []

  /// Makes each walk a separate session.
  mutating func beginWithWalking(_ settings: WalkingSettings, hasReceiver: Bool) {
    rule = WalkingRule(settings, hasReceiver: hasReceiver)
    preRollSeconds = settings.preRoll
    if let lastCommand { rule?.obey(lastCommand) }
  }

  /// Whether walking starts and stops sessions.
  var isForWalks: Bool { rule != nil }

  mutating func change(to settings: WalkingSettings) {
    rule?.change(to: settings)
    preRollSeconds = settings.preRoll
  }

  /// Carries out a user's command to start or stop a session. Has no effect unless walking starts
  /// and stops sessions.
  mutating func obey(_ command: RecordingWish.Command) {
    lastCommand = command
    rule?.obey(command)
  }

  /// Continues a walk that an interrupted recorder was recording: a session begins with the first
  /// sample if it arrives before `time`. If `time` is `nil`, the walk is over.
  mutating func expectWalk(until time: BootTime?) { rule?.expectWalk(until: time) }

  /// Returns the action that is due: to begin or end a session. No session begins unless `mayBegin`
  /// is true.
  mutating func next(isOpen: Bool, mayBegin: Bool, at now: BootTime) -> WalkingRule.Action? {
    guard rule != nil else { return !isOpen && mayBegin ? .begin(nil) : nil }
    return rule?.next(isOpen: isOpen, mayBegin: mayBegin, at: now)
  }

  /// Returns the reason why no session has begun even though one should have, if the reason must be
  /// reported now.
  mutating func notice(at now: BootTime) -> LiveStatus.Obstacle? { rule?.notice(at: now) }

  // MARK: Arrivals

  mutating func add(_ board: RegisteredBoard) {
    guard rule != nil else { return }
    rule?.add(board)
    while firstStreams.count <= Int(board.number) { firstStreams.append(nil) }
    firstStreams[Int(board.number)] = streams.count
    for description in board.streams {
      streams.append(Stream(board: board.number, live: LiveStatus.Stream(description: description)))
    }
  }

  /// Whether readings go directly to an open session. While the wearer rests, readings are
  /// buffered, unless a user requested the session.
  @inline(__always)
  var passesOn: Bool {
    guard let rule else { return true }
    return rule.watch.isWalking || rule.isStarted
  }

  /// Inspects a reading before it is passed to a session or buffered.
  mutating func look(at reading: Reading) {
    rule?.look(at: reading)
    guard reading.kind == .sample, let position = position(of: reading) else { return }
    streams[position].live.received += 1
    streams[position].rate.take(reading.arrival)
    streams[position].latest = reading
  }

  mutating func hold(_ reading: Reading) {
    preRoll.add(reading)
    guard reading.kind == .sample, let position = position(of: reading) else { return }
    streams[position].waiting += 1
  }

  private func position(of reading: Reading) -> Int? {
    guard Int(reading.board) < firstStreams.count, let first = firstStreams[Int(reading.board)]
    else { return nil }
    return first + Int(reading.stream)
  }

  mutating func hold(_ report: PositionReport) { preRoll.add(report) }
  mutating func hold(_ event: SessionEvent) { preRoll.add(event) }

  /// Inspects a position before it is passed to a session or buffered.
  mutating func look(at report: PositionReport) {
    guard rule != nil else { return }
    _ = track.add(report)
    track.forget(before: report.arrival)
  }

  /// Inspects an event before it is passed to a session or buffered.
  mutating func look(at event: SessionEvent) {
    guard rule != nil else { return }
    switch event.kind {
    case .receiver:
      standing.removeAll { $0.kind == .receiver }
      standing.append(event)
      if let state = ReceiverState(rawValue: event.text) { rule?.note(state) }
    case .settings:
      standing.removeAll { $0.kind == .settings && $0.board == event.board }
      standing.append(event)
    default: break
    }
  }

  /// Drops all data that is too old for any session.
  mutating func forget(at now: BootTime) {
    guard rule != nil else { return }
    preRoll.forget(before: now.advanced(bySeconds: -preRollSeconds))
  }

  /// Returns the start of a session that starts with a step. This is the time of that step, or of
  /// the oldest buffered reading if the step is no longer buffered. Without a step, the session
  /// starts now.
  func start(of step: WalkingWatch.Step?, now: BootTime) -> BootTime {
    guard let step else { return now }
    return preRoll.arrival(of: step) ?? preRoll.start ?? now
  }

  /// Returns the events to record when a session starts.
  func events(at start: BootTime) -> [SessionEvent] {
    standing.filter { $0.time < start }.map { event in
      var event = event
      event.time = start
      return event
    }
  }

  @inline(__always)
  var holdsAny: Bool { !preRoll.isEmpty }

  /// Passes all data buffered since `start` to a session: first the events, and then the readings
  /// and positions in the order of arrival.
  mutating func give(to session: inout SessionRecorder, since start: BootTime) {
    for event in preRoll.events where event.time >= start { session.record(event) }
    var reports = preRoll.reports.drop { $0.arrival < start }
    for count in lastCounts(before: start) { session.record(count) }
    for reading in preRoll.readings where reading.arrival >= start {
      while let report = reports.first, report.arrival <= reading.arrival {
        session.record(report)
        reports.removeFirst()
      }
      session.record(reading)
    }
    for report in reports { session.record(report) }
    preRoll.removeAll()
    for position in streams.indices { streams[position].waiting = 0 }
  }

  /// Returns the last count that the board reported for each stream before `start`. Samples lost
  /// before then do not belong to any session.
  private func lastCounts(before start: BootTime) -> [Reading] {
    var counts: [Int: Reading] = [:]
    for reading in preRoll.readings where reading.arrival < start {
      guard let stream = position(of: reading) else { continue }
      switch reading.kind {
      case .tally where reading.x > 0: counts[stream] = reading
      case .restarted, .rebooted, .linkLost: counts[stream] = nil
      default: break
      }
    }
    return Array(counts.values)
  }

  var lastFix: Fix? { track.last }

  /// Returns an open session's streams, each with the number of its buffered samples. `shown` must
  /// be in the order of `streams`.
  func withWaiting(_ shown: [RecorderView.Stream]) -> [RecorderView.Stream] {
    guard rule != nil else { return shown }
    return zip(shown, streams).map { shown, stream in
      var shown = shown
      shown.live.waiting = stream.waiting
      shown.live.lastSample = stream.latest?.arrival
      return shown
    }
  }

  func liveStreams() -> [RecorderView.Stream] {
    streams.map { stream in
      var live = stream.live
      live.measuredRate = stream.rate.rate
      live.lastSample = stream.latest?.arrival
      if let latest = stream.latest {
        live.latest = (0..<live.description.axisCount).map {
          live.description.value(of: latest.axis($0))
        }
      }
      return RecorderView.Stream(board: stream.board, live: live)
    }
  }

  /// Returns the standby's state for the live view, or `nil` if the recording is one session.
  func live(at now: BootTime) -> LiveStatus.Standby? {
    guard let rule else { return nil }
    return LiveStatus.Standby(
      lead: rule.watch.leadSeconds, held: preRoll.start.map { now.seconds(since: $0) } ?? 0,
      isWalk: rule.watch.isOn, isStopped: rule.isStopped, refusal: rule.refusal)
  }
}
