public import Values

extension Chunk {
  /// The samples missing after this chunk, the last of its stream in a recording that was cut off,
  /// as a chunk without samples. `nil` where the board was there at the end.
  ///
  /// A recorder counts what a board did not send when the board comes back, or when the session
  /// ends. One that was killed did neither, so the events of the session have to tell that the
  /// board was away. Where none does, since a recorder takes seconds to notice, the time does that
  /// went by without a sample. Nothing is missing after the recorder had begun to stop the boards.
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

  /// Samples that are late without being lost, and seconds: a link may hold packets back for as
  /// long.
  private static let latePeriods = 3.0
  private static let lateSeconds = 1.5

  /// Why nothing came after a time; `nil` if no event says so.
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
