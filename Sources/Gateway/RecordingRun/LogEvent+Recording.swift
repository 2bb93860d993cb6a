internal import BoardDriver
internal import MetaWearProtocol
internal import Recording
public import Storage
public import Values

/// A recording's log entries about the disk, the clock, recovery and streams.
extension LogEvent {
  /// Returns entries about a change in the store's free space, and about deleted recordings.
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
            "remedy": "free some space; 'footbridge store space' shows what can be deleted",
          ]))
    }
    return remarks
  }

  /// The entry for a session that began, continued, ended or could not begin.
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

  /// The entry for a disagreement between the computer's clock and satellite time.
  init(_ disagreement: ClockTable.Disagreement) {
    let remedy =
      switch disagreement {
      case .seconds: "set the clock, or enable NTP; the session's date comes from the satellites"
      case .weekRollover: "look for newer receiver firmware; the date has been corrected"
      }
    self.init(
      .warning, "clocks disagree", ["reason": disagreement.description, "remedy": remedy])
  }

  /// The entry for the samples and fixes recovered from an interrupted recording's tail.
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

  /// The entry for a session that has ended, with counts of three kinds of samples: stored,
  /// recoverable from the tail when the store is next opened, and lost, by reason.
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

  /// The entry for a tail file that could not be read or that belongs to an unknown session.
  public init(keptTail path: String) {
    self.init(
      .warning, "tail kept",
      ["file": path, "remedy": "inspect the file or remove it; footbridge cannot use it"])
  }

  /// The entry for a stream's start. It includes the encoding, which determines how losses are
  /// detected, and the range that values are clipped to.
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

  /// The entry for a stream's achieved rate, written when the stream ends.
  init(_ stream: RecorderTotals.Stream, of board: BoardAddress) {
    self.init(
      .notice, "rate",
      [
        "board": board.description, "signal": stream.description.signal,
        "requested": stream.requestedText, "achieved": stream.achievedText,
      ])
  }
}
