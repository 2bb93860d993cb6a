internal import Gateway
internal import Recording
internal import Storage
internal import Terminal
internal import Values

/// Formats a session's description as text.
struct SessionReport {
  let summary: SessionSummary
  let listsChunks: Bool
  /// The number of fixes that the upload endpoint has not received.
  let missingFixes: Int
  let isInUTC: Bool
  /// The terminal's width in columns.
  let width: Int
  private let names: [BoardAddress: String]

  init(
    summary: SessionSummary, listsChunks: Bool, missingFixes: Int = 0, isInUTC: Bool = false,
    width: Int = .max
  ) {
    self.width = width
    self.isInUTC = isInUTC
    self.summary = summary
    self.listsChunks = listsChunks
    self.missingFixes = missingFixes
    names = SessionBoards(summary.boards.map(\.identity)).names
  }

  /// The report's lines: facts about the whole session, then a table for each kind of detail.
  var lines: [String] {
    let parts = [
      head, boards.lines(within: width), streams.lines(within: width, keys: 2), losses,
      tasks.lines(within: width), hazards.lines(within: width), annotations.lines(within: width),
      events.lines(within: width),
      listsChunks ? chunks.lines(within: width, keys: 3) : [],
    ]
    return Array(parts.filter { $0.count > 1 }.joined(separator: [""]))
  }

  var ending: String {
    SessionText.ending(summary.session, isBeingRecorded: summary.isBeingRecorded)
  }

  private var head: [String] {
    let session = summary.session
    var table = TextTable([.init(), .init()])
    table.append(["session", "\(session.id)"])
    let start = SessionText.date(summary.clock.utc(at: session.start), inUTC: isInUTC)
    table.append(["started", start ?? "not dated: no correct clock was available"])
    table.append(["time", Self.timeText(summary.clock)])
    table.append(["length", DurationText.clock(summary.seconds)])
    table.append(["ended", ending])
    for (title, text) in [
      ("gateway", session.gateway), ("participant", session.participant?.text ?? ""),
      ("wearer", session.wearer), ("note", session.note),
    ] where !text.isEmpty {
      table.append([title, TerminalText.harmless(text)])
    }
    let fixes = NumberText.grouped(summary.fixes)
    let missing = missingFixes > 0 ? ", \(NumberText.grouped(missingFixes)) missing" : ""
    table.append(["fixes", fixes + missing])
    if summary.hasUnknownLosses {
      let lost = summary.streams.reduce(UInt64(0)) { $0.addingSaturated($1.lostCount) }
      table.append(["lost", SessionText.lost(lost, isLeast: true)])
    }
    for fault in summary.mountings {
      table.append([
        "mounting",
        TerminalText.harmless("\(fault.subject): \(fault.text)") + "; "
          + fault.remedy(in: "\(session.id)"),
      ])
    }
    for row in StatisticsText(statistics: summary.statistics, names: names).rows {
      table.append(row)
    }
    return table.lines(within: width)
  }

  /// Returns the source of the session's UTC times. If several sources disagree, also describes the
  /// disagreement.
  private static func timeText(_ clock: ClockTable) -> String {
    let origin =
      switch clock.source {
      case .satellites: "gps"
      case .synchronised: "ntp: the system clock was synchronised"
      case .system: "system: the system clock was not synchronised and may be wrong"
      case nil: "unsynced: will be dated once a session of this boot has the correct time"
      }
    return clock.disagreement.map { "\(origin); \($0)" } ?? origin
  }

  private var boards: TextTable {
    var table = TextTable([
      .init("board"), .init("address"), .init("placement"), .init("model"), .init("firmware"),
    ])
    for board in summary.boards {
      table.append([
        name(board.identity), board.identity.address.description, text(board.placement),
        text(board.identity.model), text(board.identity.firmware),
      ])
    }
    return table
  }

  private var streams: TextTable {
    var table = TextTable([
      .init("board"), .init("signal"), .init("range"), .init("samples", .right),
      .init("lost", .right), .init("certainty"), .init("requested", .right),
      .init("achieved", .right), .init("drift", .right), .init("chunks", .right),
    ])
    for stream in summary.streams {
      table.append([
        name(stream.board), TerminalText.harmless(stream.description.signal),
        text(stream.description.rangeText ?? ""), NumberText.grouped(stream.samples),
        NumberText.grouped(stream.lostCount), stream.lossCertainty.rawValue,
        hertz(stream.description.rate),
        stream.achievedRate.map(hertz) ?? "unknown",
        stream.drift.map { NumberText.fixed($0, decimals: 0) + " ppm" } ?? "unknown",
        NumberText.grouped(stream.chunks.count),
      ])
    }
    return table
  }

  /// A heading, followed by a line for each stream with lost samples.
  private var losses: [String] {
    var lines: [String] = []
    for stream in summary.streams {
      var parts = LossReason.allCases.compactMap { reason in
        stream.lost[reason].map { NumberText.grouped($0) + " " + reason.name }
      }
      if stream.lostWithChunks > 0 {
        parts.append(
          SessionText.lost(stream.lostWithChunks, isEstimate: true) + " in unavailable chunks")
      }
      if stream.missingChunks > 0 {
        parts.append(
          NumberText.count(stream.missingChunks, "chunk")
            + (summary.session.isArriving ? " not received yet" : " no longer stored"))
      }
      let torn = stream.chunks.count { !$0.isWhole }
      if torn > 0 { parts.append(NumberText.count(torn, "chunk") + " that cannot be read") }
      guard !parts.isEmpty else { continue }
      lines.append(
        "  \(name(stream.board)) \(TerminalText.harmless(stream.description.signal)): "
          + parts.joined(separator: ", "))
    }
    if summary.hasUnknownLosses {
      lines.append(
        summary.session.isArriving
          ? "  more samples may follow: the session is still being sent"
          : "  an unknown number of further samples is lost: the store was damaged")
    }
    return lines.isEmpty
      ? []
      : ["missing samples by reason"] + lines.flatMap { TerminalText.folded($0, to: width) }
  }

  private var tasks: TextTable {
    var table = TextTable([
      .init("task"), .init("repetition", .right), .init("at", .right), .init("length", .right),
      .init("distance", .right), .init("steps", .right), .init("samples", .right),
      .init("lost", .right), .init("outcome"),
    ])
    for figures in summary.tasks {
      let turn = figures.turn
      let isSkipped = turn.outcome == .skipped
      let seconds = max(turn.end ?? summary.end, turn.begin).seconds(since: turn.begin)
      let distance = figures.statistics.distance.map { NumberText.fixed($0, decimals: 0) + " m" }
      let steps = figures.statistics.stepCount.map { NumberText.grouped(max(0, $0)) }
      table.append(
        [
          TerminalText.harmless(turn.task), isSkipped ? "–" : "\(turn.repetition)",
          SessionText.time(turn.begin, in: summary.session),
        ]
          + (isSkipped
            ? ["–", "–", "–", "–", "–"]
            : [
              NumberText.fixed(seconds, decimals: 1) + " s", distance ?? "–", steps ?? "–",
              NumberText.grouped(figures.samples), NumberText.grouped(figures.lost),
            ]) + [TaskText.outcome(of: turn)])
    }
    return table
  }

  private var hazards: TextTable {
    var table = TextTable([
      .init("hazard"), .init("intensity", .right), .init("at", .right), .init("place"),
    ])
    for hazard in summary.hazards {
      table.append([
        TerminalText.harmless(hazard.name), "\(hazard.intensity)",
        SessionText.time(hazard.time, in: summary.session), SessionText.place(hazard.position),
      ])
    }
    return table
  }

  private var annotations: TextTable {
    var table = TextTable([.init("at", .right), .init("annotation")])
    for annotation in summary.annotations {
      table.append([
        SessionText.time(annotation.time, in: summary.session),
        TerminalText.harmless(annotation.text),
      ])
    }
    return table
  }

  private var events: TextTable {
    var table = TextTable([
      .init("at", .right), .init("event"), .init("board"), .init("value", .right), .init("about"),
    ])
    for event in summary.events {
      let board = summary.boards.first { $0.identity.address == event.board }?.identity
      table.append([
        SessionText.time(event.time, in: summary.session), event.kind.rawValue,
        board.map(name) ?? event.board?.description ?? "–",
        event.value.map(NumberText.plain) ?? "–", about(event),
      ])
    }
    return table
  }

  private var chunks: TextTable {
    var table = TextTable([
      .init("board"), .init("signal"), .init("number", .right), .init("begins", .right),
      .init("samples", .right), .init("lost", .right), .init("bytes", .right), .init("chunk"),
    ])
    for stream in summary.streams {
      for chunk in stream.chunks {
        table.append([
          name(stream.board), TerminalText.harmless(stream.description.signal),
          "\(chunk.row.sequence)", SessionText.time(chunk.row.first, in: summary.session),
          NumberText.grouped(chunk.row.sampleCount),
          NumberText.grouped(chunk.row.lostCount),
          chunk.bytes.map { NumberText.grouped($0) } ?? "–",
          "\(chunk.row.id)" + (chunk.isWhole ? "" : " damaged"),
        ])
      }
    }
    return table
  }

  /// Returns an event's text. An edit or a report is shown with its date, because it may have been
  /// made long after the session ended.
  private func about(_ event: SessionEvent) -> String {
    let words = WalkReport.all(in: [event]).first.map(ReportText.line) ?? text(event.text)
    guard event.kind == .edited || event.kind == .submitted, let utc = event.utc else {
      return words
    }
    return words + " on " + (SessionText.date(utc, inUTC: isInUTC) ?? "")
  }

  private func name(_ board: BoardIdentity) -> String {
    names[board.address] ?? TerminalText.harmless(board.name)
  }

  private func text(_ text: String) -> String {
    text.isEmpty ? "–" : TerminalText.harmless(text)
  }

  private func hertz(_ rate: Double) -> String { NumberText.fixed(rate, decimals: 1) + " Hz" }
}
