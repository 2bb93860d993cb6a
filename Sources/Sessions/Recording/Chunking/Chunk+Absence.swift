public import Values

extension Chunk {
  /// The samples missing after this chunk, the last of its stream in an interrupted recording, as a
  /// chunk without samples. `nil` if the board was present at the end.
  ///
  /// A recorder counts a board's missing samples when the board returns, or when the session ends,
  /// and counts a pause when it ends. A killed recorder did neither, so the session's events must
  /// show that the board was away, or that a person had paused the recording. A recorder takes
  /// seconds to notice that a board is away. If no event shows it, the time without a sample does.
  /// Nothing is missing after the recorder began to stop the boards.
  ///
  /// An absence until `counted` has already been counted: the session was interrupted before, and
  /// continued without the board.
  public func absence(
    events: [SessionEvent], until latest: BootTime, after counted: BootTime? = nil
  ) -> Chunk? {
    let end = events.filter { $0.kind == .stopping }.map(\.time).reduce(latest, min)
    guard var last = arrivals.last, clock.period > 0 else { return nil }
    last = max(last, counted ?? last)
    guard last < end else { return nil }
    // The recorder has counted them itself: it ended in order, and only the store failed.
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

  /// The losses after the last sample, as a chunk without samples; `nil` if there are none. Only
  /// the end of a stream has them: any other loss is counted with the sample that follows it.
  public var ending: Chunk? {
    let late = gaps.filter { gap in arrivals.last.map { gap.end > $0 } ?? true }
    guard !late.isEmpty else { return nil }
    var chunk = self
    chunk.removeSamples()
    chunk.gaps = late
    chunk.fixes = []
    return chunk
  }

  /// Periods and seconds by which samples may be late without being lost: a link may hold back
  /// packets for that long.
  private static let latePeriods = 3.0
  private static let lateSeconds = 1.5

  /// Number of samples of the stream in a time.
  private func periods(_ seconds: Double) -> Double {
    (seconds * 1e9 / clock.period).rounded(.down)
  }

  /// The reason why no samples arrived after a time; `nil` if no event gives one.
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

  /// The seconds of pauses in a time, and the part of them in which the board was not known to be
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
      // The events do not show whether a board came back during the pause.
      case .continued: break
      default: if event.time > start, absence(event) != nil { isAway = true }
      }
    }
    return (whole, present)
  }
}
