internal import Gateway
internal import Recording
internal import Terminal
internal import Values

/// Formats each stream's sample counts, for the report at the end of a recording.
struct StreamTotalsText {
  let report: RecordingReport

  /// The table of streams in a stored recording, at most 80 columns wide.
  var recorded: [String] {
    var table = TextTable([
      .init("board"), .init("signal"), .init("range"), .init("received", .right),
      .init("stored", .right), .init("lost", .right), .init("certainty"), .init("chunks", .right),
      .init("requested", .right), .init("achieved", .right),
    ])
    let names = SessionBoards(report.boards.map(\.identity)).names
    for stream in report.totals.streams {
      guard let board = report.board(stream.board)?.identity else { continue }
      table.append([
        names[board.address] ?? "", signal(stream), range(stream),
        NumberText.grouped(stream.received), NumberText.grouped(stream.stored),
        NumberText.grouped(stream.lostCount), stream.lossCertainty.rawValue,
        NumberText.grouped(stream.chunks), stream.requestedText, stream.achievedText,
      ])
    }
    return table.lines(within: 80, keys: 2)
  }

  /// The table of streams that were not stored.
  var streamed: [String] {
    var table = TextTable([
      .init("board"), .init("signal"), .init("range"), .init("received", .right),
      .init("lost", .right), .init("certainty"),
    ])
    let names = SessionBoards(report.boards.map(\.identity)).names
    for stream in report.totals.streams {
      let board = report.board(stream.board)?.identity.address
      table.append([
        board.flatMap { names[$0] } ?? "", signal(stream), range(stream),
        NumberText.grouped(stream.received), NumberText.grouped(stream.lostCount),
        stream.lossCertainty.rawValue,
      ])
    }
    return table.lines
  }

  /// The lines about boards with samples that arrived twice, one line per board.
  var repeats: [String] {
    report.boards.compactMap { board in
      let streams = report.totals.streams.filter { $0.board == board.number }
      let count = streams.reduce(0) { $0 + $1.duplicates }
      guard count > 0 else { return nil }
      return "\(board.identity.address): "
        + (count == 1
          ? "one sample arrived twice and was stored once"
          : NumberText.grouped(count) + " samples arrived twice and were stored once")
    }
  }

  /// Each stream's sample counts, as a log event.
  var remarks: [LogEvent] {
    report.totals.streams.map { stream in
      var remark = LogEvent(
        .notice, "streamed",
        [
          "board": report.board(stream.board)?.identity.address.description ?? "",
          "signal": stream.description.signal, "received": "\(stream.received)",
          "lost": "\(stream.lostCount)", "loss": stream.lossCertainty.rawValue,
        ])
      if stream.duplicates > 0 {
        remark.details.append(LogEvent.Detail("repeated", "\(stream.duplicates)"))
      }
      return remark
    }
  }

  private func signal(_ stream: RecorderTotals.Stream) -> String {
    TerminalText.harmless(stream.description.signal)
  }

  private func range(_ stream: RecorderTotals.Stream) -> String {
    stream.description.rangeText.map(TerminalText.harmless) ?? "–"
  }
}
