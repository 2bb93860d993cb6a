public import Values

extension Chunk {
  /// The samples missing after this chunk, the last of its stream in a recording that was cut off,
  /// as a chunk without samples. `nil` where the board was present at the end.
  ///
  /// A recorder counts a board's missing samples when the board returns, or when the session ends.
  /// A recorder that was killed did neither, so the session's events have to show that the board
  /// was away. A recorder takes seconds to note that. Without such an event, the time without a
  /// sample shows it. Nothing is missing after the recorder had begun to stop the boards.
  public func absence(events: [SessionEvent], until latest: BootTime) -> Chunk? {
    let end = events.filter { $0.kind == .stopping }.map(\.time).reduce(latest, min)
    guard let last = arrivals.last, clock.period > 0 else { return nil }
    let lost = (end.seconds(since: last) * 1e9 / clock.period).rounded(.down)
    guard lost >= 1, lost < 1e15 else { return nil }
    let isUnnoticed =
      lost > Self.latePeriods && end.seconds(since: last) > Self.lateSeconds
    guard let reason = absence(after: last, events) ?? (isUnnoticed ? .link : nil) else {
      return nil
    }
    var chunk = self
    chunk.id = .random()
    chunk.sequence += 1
    chunk.clock.first = last
    chunk.removeSamples()
    chunk.gaps = [
      Gap(start: last, end: end, lost: UInt64(lost), isEstimate: true, reason: reason)
    ]
    chunk.fixes = []
    return chunk
  }

  /// Periods and seconds by which samples may be late without being lost: a link may hold packets
  /// back that long.
  private static let latePeriods = 3.0
  private static let lateSeconds = 1.5

  /// Why no samples arrived after a time; `nil` if no event gives a reason.
  private func absence(after last: BootTime, _ events: [SessionEvent]) -> LossReason? {
    for event in events.reversed() where event.board == board.address && event.time > last {
      switch event.kind {
      case .linkLost, .givenUp: return .disconnected
      case .silent where event.text.split(separator: ", ").contains(Substring(stream.signal)):
        return .silent
      default: continue
      }
    }
    return nil
  }
}
