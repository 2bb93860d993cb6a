extension Chunk {
  /// The samples missing after this chunk, the last of its stream in a recording that was cut off,
  /// as a chunk without samples. `nil` where the board was there at the end.
  ///
  /// A recorder counts what a board did not send when the board comes back, or when the session
  /// ends. One that was killed did neither, so the events of the session have to tell that the
  /// board was away.
  public func absence(events: [SessionEvent], until end: BootTime) -> Chunk? {
    guard let last = arrivals.last, clock.period > 0, let reason = absence(after: last, events)
    else { return nil }
    let lost = (end.seconds(since: last) * 1e9 / clock.period).rounded(.down)
    guard lost >= 1, lost < 1e15 else { return nil }
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
