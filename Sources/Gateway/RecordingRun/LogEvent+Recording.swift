internal import BoardDriver
internal import MetaWearProtocol
internal import Recording
public import Storage
public import Values

/// Log entries of a recording about disk, clock, recovery and streams.
extension LogEvent {
  /// The store has gained or lost room.
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
            "remedy": "free some space; 'footbridge store space' says what may be deleted",
          ]))
    }
    return remarks
  }

  /// The computer's clock and the satellites' time differ.
  init(_ disagreement: ClockTable.Disagreement) {
    let remedy =
      switch disagreement {
      case .seconds: "the session is dated by the satellites; set the clock, or let NTP do it"
      case .weekRollover: "the date is corrected; look for newer firmware of the receiver"
      }
    self.init(
      .warning, "clocks disagree", ["reason": disagreement.description, "remedy": remedy])
  }

  /// A recording did not end in order: the samples and fixes taken in from its tail.
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

  /// A file of a tail could not be read, or its session is unknown.
  public init(keptTail path: String) {
    self.init(
      .warning, "tail kept",
      ["file": path, "remedy": "it is of no use to footbridge: look at it, or remove it"])
  }

  /// A stream at its start. The entry shows how the stream is sent, which decides how its losses
  /// are known. It also shows the range, beyond which values are clipped.
  init(_ stream: BoardStream, of board: BoardAddress) {
    self.init(
      .notice, "stream",
      [
        "board": board.description, "signal": stream.setup.signal,
        "hertz": "\((stream.setup.rate * 1_000).rounded() / 1_000)",
        "layout": stream.layout.kind.rawValue,
        "loss": LossCertainty(of: stream.layout.lossAccounting).rawValue,
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
