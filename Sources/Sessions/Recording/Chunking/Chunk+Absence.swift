public import Values

extension Chunk {
  /// The samples missing after this chunk, the last of its stream in a recording that was cut off,
  /// as a chunk without samples. `nil` where the board was present at the end.
  ///
  /// A recorder counts a board's missing samples when the board returns, or when the session ends,
  /// and those of a pause when it ends. A recorder that was killed did neither, so the session's
  /// events have to show that the board was away, or that a person had paused the recording. A
  /// recorder takes seconds to note that a board is away. Without such an event, the time without a
  /// sample shows it. Nothing is missing after the recorder had begun to stop the boards.
  ///
  /// An absence until `counted` is counted already: the session was cut off before, and continued
  /// without the board.
  public func absence(
    events: [SessionEvent], until latest: BootTime, after counted: BootTime? = nil
  ) -> Chunk? {
    let end = events.filter { $0.kind == .stopping }.map(\.time).reduce(latest, min)
    guard var last = arrivals.last, clock.period > 0 else { return nil }
    last = max(last, counted ?? last)
    guard last < end else { return nil }
    // The recorder has counted them itself: it ended in order, and only the store took nothing.
    guard ending == nil else { return nil }
    let own = events.filter { $0.board == nil || $0.board == board.address }
      .sorted { $0.time < $1.time }
    let pause = pauseTime(from: last, until: end, own)
    let rest = end.seconds(since: last) - pause.whole
    let reason =
      absence(after: last, own)
      ?? (periods(rest) > Self.latePeriods && rest > Self.lateSeconds ? .link : nil)
    var losses: [(reason: LossReason, periods: Double)] = [(.paused, periods(pause.present))]
    if let reason { losses.append((reason, periods(rest + pause.whole - pause.present))) }
    losses.removeAll { $0.periods < 1 || $0.periods >= 1e15 }
    guard !losses.isEmpty else { return nil }
    var chunk = self
    chunk.id = .random()
    chunk.sequence += 1
    chunk.clock.first = last
    chunk.removeSamples()
    chunk.gaps = losses.map {
      Gap(start: last, end: end, lost: UInt64($0.periods), isEstimate: true, reason: $0.reason)
    }
    chunk.fixes = []
    return chunk
  }

  /// The losses after the last sample, as a chunk without samples; `nil` without any. Only the end
  /// of a stream has them: otherwise a loss is counted with the sample that follows it.
  public var ending: Chunk? {
    let late = gaps.filter { gap in arrivals.last.map { gap.end > $0 } ?? true }
    guard !late.isEmpty else { return nil }
    var chunk = self
    chunk.removeSamples()
    chunk.gaps = late
    chunk.fixes = []
    return chunk
  }

  /// Periods and seconds by which samples may be late without being lost: a link may hold packets
  /// back that long.
  private static let latePeriods = 3.0
  private static let lateSeconds = 1.5

  /// How many samples a stream has in a time.
  private func periods(_ seconds: Double) -> Double {
    (seconds * 1e9 / clock.period).rounded(.down)
  }

  /// Why no samples arrived after a time; `nil` if no event gives a reason.
  private func absence(after last: BootTime, _ events: [SessionEvent]) -> LossReason? {
    for event in events.reversed() where event.time > last {
      if let reason = absence(event) { return reason }
    }
    return nil
  }

  private func absence(_ event: SessionEvent) -> LossReason? {
    switch event.kind {
    case .linkLost, .givenUp: .disconnected
    case .continued where event.value != nil: .interrupted
    case .silent where event.text.split(at: ", ").contains(Substring(stream.signal)):
      .silent
    default: nil
    }
  }

  /// The seconds of pauses in a time, and those of them in which the board was not known to be
  /// away.
  private func pauseTime(
    from start: BootTime, until end: BootTime, _ events: [SessionEvent]
  ) -> (whole: Double, present: Double) {
    var (whole, present) = (0.0, 0.0)
    var (isPaused, isAway) = (false, false)
    var place = start
    for event in events + [SessionEvent(.stopping, at: end)] {
      let time = min(max(event.time, start), end)
      if isPaused { whole += time.seconds(since: place) }
      if isPaused, !isAway { present += time.seconds(since: place) }
      place = time
      switch event.kind {
      case .paused: isPaused = true
      case .resumed: isPaused = false
      case .reconnected, .reboot: isAway = false
      // Whether a board came back in the pause does not show.
      case .continued: break
      default: if event.time > start, absence(event) != nil { isAway = true }
      }
    }
    return (whole, present)
  }
}
