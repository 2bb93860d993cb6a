internal import BoardDriver
internal import MetaWearProtocol
internal import Recording
public import Storage
public import Values

/// Log entries of a recording about disk, clock, recovery and streams.
extension LogEvent {
  /// The store's room has changed, or recordings were deleted.
  static func remarks(on space: StoreWriter.Space) -> [LogEvent] {
    var remarks: [LogEvent] = []
    if space.dropped.chunks > 0 {
      remarks.append(
        LogEvent(
          .warning, "recordings deleted",
          [
            "chunks": "\(space.dropped.chunks)", "unsent": "\(space.dropped.unsent)",
            "samples": "\(space.dropped.samples)",
          ]))
    }
    switch space.state {
    case .ok: remarks.append(LogEvent(.notice, "space", ["state": "ok"]))
    case .low, .full:
      remarks.append(
        LogEvent(
          .warning, "space",
          [
            "state": space.state.rawValue,
            "remedy": "free some space; 'footbridge store space' shows what may be deleted",
          ]))
    }
    return remarks
  }

  /// A session has begun or ended with walking, or is refused.
  init(_ report: RecorderThread.SessionReport) {
    switch report {
    case .began(let session, let seconds):
      self.init(
        .notice, "session begun",
        ["session": "\(session)", "seconds_ago": "\(Int(seconds.rounded()))"])
    case .continued(let session, let seconds):
      self.init(
        .notice, "session continued",
        ["session": "\(session)", "seconds_missing": "\((seconds * 10).rounded() / 10)"])
    case .ended(let session, let totals): self.init(closed: session, totals)
    case .refused(let refusal):
      self.init(
        .warning, "no session begins", ["reason": refusal.text, "remedy": refusal.remedy])
    }
  }

  /// The computer's clock and the satellites' time differ.
  init(_ disagreement: ClockTable.Disagreement) {
    let remedy =
      switch disagreement {
      case .seconds: "set the clock, or let NTP do it; the satellites date the session"
      case .weekRollover: "look for newer receiver firmware; the date is corrected"
      }
    self.init(
      .warning, "clocks disagree", ["reason": disagreement.description, "remedy": remedy])
  }

  /// The samples and fixes recovered from the tail of an interrupted recording.
  public init(_ recovery: TailRecovery) {
    self.init(
      .notice, "recovered",
      [
        "samples": "\(recovery.samples)", "fixes": "\(recovery.fixes)",
        "missing": "\(recovery.missing)",
      ])
    if recovery.damagedChunks > 0 {
      details.append(Detail("damaged_chunks", "\(recovery.damagedChunks)"))
    }
  }

  /// A session has ended. Counts the stored samples, the samples that are only in the tail until
  /// the store is next opened, and the lost samples with their reasons.
  init(closed session: UniqueID, _ totals: RecorderTotals) {
    let streams = totals.streams
    let lost = LossReason.allCases.compactMap { reason -> (name: String, count: UInt64)? in
      let count = streams.reduce(0) { $0 + $1.lost[reason, default: 0] }
      return count == 0 ? nil : (reason.name, count)
    }
    self.init(
      .notice, "session closed",
      [
        "session": "\(session)", "stored": "\(streams.reduce(0) { $0 + $1.stored })",
        "held": "\(streams.reduce(0) { $0 + $1.held })",
        "lost": "\(lost.reduce(0) { $0 + $1.count })",
      ])
    if !lost.isEmpty {
      details.append(
        Detail("reasons", lost.map { "\($0.name) \($0.count)" }.joined(separator: ", ")))
    }
  }

  /// A file of a tail could not be read, or its session is unknown.
  public init(keptTail path: String) {
    self.init(
      .warning, "tail kept",
      ["file": path, "remedy": "inspect the file or remove it; footbridge cannot use it"])
  }

  /// A stream at its start. The entry shows the stream's encoding, which decides how losses are
  /// detected, and its range, beyond which values are clipped.
  init(_ stream: BoardStream, of board: BoardAddress) {
    self.init(
      .notice, "stream",
      [
        "board": board.description, "signal": stream.setup.signal,
        "hertz": "\((stream.setup.rate * 1_000).rounded() / 1_000)",
        "layout": stream.layout.kind.rawValue,
        "loss": LossCertainty(of: stream.description.lossAccounting).rawValue,
      ])
    if let range = stream.setup.description.rangeText {
      details.append(Detail("range", range))
    }
  }

  /// The rate of a stream at its end.
  init(_ stream: RecorderTotals.Stream, of board: BoardAddress) {
    self.init(
      .notice, "rate",
      [
        "board": board.description, "signal": stream.description.signal,
        "requested": stream.requestedText, "achieved": stream.achievedText,
      ])
  }
}
