public import Values

extension Chunk {
  /// Returns a chunk that contains no samples, but records how many are missing after this chunk.
  /// This chunk is the last of its stream in an interrupted recording. Returns `nil` if no samples
  /// are missing, or if they have already been counted.
  ///
  /// A recorder counts a board's missing samples when the board returns, when a pause ends, or when
  /// the session ends. A recorder that was killed did not count them. In that case, the events show
  /// whether the board was absent or a user had paused the recording. A recorder needs several
  /// seconds to notice that a board is absent. A long period without samples is therefore treated
  /// as an absence even if no event records one. Samples are no longer expected once the recorder
  /// has begun to stop the boards.
  ///
  /// If an earlier interruption was followed by a continuation without the board, the samples
  /// missing until `counted` have already been counted.
  public func absence(
    events: [SessionEvent], until latest: BootTime, after counted: BootTime? = nil
  ) -> Chunk? {
    let end = events.filter { $0.kind == .stopping }.map(\.time).reduce(latest, min)
    guard var last = arrivals.last, clock.period > 0 else { return nil }
    last = max(last, counted ?? last)
    guard last < end else { return nil }
    // The recorder has already counted the missing samples: it shut down properly, and only the
    // store failed.
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

  /// Returns the losses after the last sample as a chunk without samples; `nil` if there are none.
  /// Such losses exist only at the end of a stream: any other loss is counted with the next sample.
  public var ending: Chunk? {
    let late = gaps.filter { gap in arrivals.last.map { gap.end > $0 } ?? true }
    guard !late.isEmpty else { return nil }
    var chunk = self
    chunk.removeSamples()
    chunk.gaps = late
    chunk.fixes = []
    return chunk
  }

  /// Number of sample periods by which samples may be late without being treated as lost, since a
  /// link may delay packets.
  private static let latePeriods = 3.0
  /// Seconds by which samples may be late without being treated as lost.
  private static let lateSeconds = 1.5

  /// Converts seconds to whole sample periods, rounded down.
  private func periods(_ seconds: Double) -> Double {
    (seconds * 1e9 / clock.period).rounded(.down)
  }

  /// Returns the reason why samples after this time are missing; `nil` if no event explains it.
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

  /// Returns the number of paused seconds between two times: in total, and only while the board was
  /// not known to be absent.
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
      // The events do not show whether a board returned during the pause.
      case .continued: break
      default: if event.time > start, absence(event) != nil { isAway = true }
      }
    }
    return (whole, present)
  }
}
