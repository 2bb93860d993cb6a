public import Gateway
internal import Recording

/// A recording, or streams that are only looked at, as lines of text, drawn anew each round.
///
/// Keeps the last magnitudes of every stream for its sparkline, so one value belongs to one
/// recording.
public struct LiveView: Sendable {
  /// What is looked at.
  public enum Subject: Sendable {
    /// A recording, with its position and its chunks.
    case recording
    /// Streams of which nothing is kept, with the strength of each board's signal.
    case streams
  }

  /// Rounds a sparkline shows.
  public static let historyLength = 20

  private let subject: Subject

  /// A stream, wherever it stands in the status.
  private struct Key: Hashable, Sendable {
    var board: BoardAddress
    var signal: String
  }
  private var histories: [Key: MagnitudeHistory] = [:]

  /// A view that has not seen anything yet.
  public init(of subject: Subject = .recording) {
    self.subject = subject
  }

  /// The lines for `status`, none of them wider than `width` columns.
  ///
  /// A stream takes one line where the terminal is wide enough for all of them, else two.
  public mutating func render(_ status: LiveStatus, width: Int) -> [String] {
    let boards = boardLines(status.boards)
    let streams = streamLines(status.boards, width: width)
    var lines = [summary(of: status)]
    if subject == .recording || status.receiver != nil {
      lines.append("position   " + PositionText.long(status))
    }
    if subject == .recording,
      let walk = StatisticsText(statistics: status.statistics, names: [:]).line
    {
      lines.append("walk       " + walk)
    }
    for (board, streams) in zip(boards, streams) {
      lines += ["", board] + streams
    }
    return lines.map { TerminalText.cut($0, to: width) }
  }

  /// The whole status in one line, for output that is read as a log.
  public static func plainLine(_ status: LiveStatus) -> String {
    let streams = status.boards.flatMap(\.streams)
    let streaming = status.boards.count { $0.phase == .streaming }
    let rate = streams.reduce(0) { $0 + $1.measuredRate }
    let stored = streams.reduce(0) { $0 + $1.storedChunks }
    let parts =
      [
        DurationText.clock(status.elapsed),
        "\(streaming) of \(counted(status.boards.count, "board")) streaming",
        NumberText.fixed(rate, decimals: 1) + " Hz",
      ] + received(streams) + [
        NumberText.grouped(stored) + (stored == 1 ? " chunk stored" : " chunks stored"),
        PositionText.short(status),
      ]
    return parts.joined(separator: ", ")
  }

  private func summary(of status: LiveStatus) -> String {
    let start = status.elapsed > 0 ? DurationText.clock(status.elapsed) : "waiting for samples"
    return (subject == .recording ? "recording  " : "streaming  ") + start + "  "
      + Self.counted(status.boards.count, "board") + "  "
      + Self.received(status.boards.flatMap(\.streams)).joined(separator: "  ")
  }

  /// Samples received and samples lost, the lost ones by reason.
  private static func received(_ streams: [LiveStatus.Stream]) -> [String] {
    let received = streams.reduce(0) { $0 + $1.received }
    let lost = streams.reduce(into: [:]) { $0.merge($1.lost, uniquingKeysWith: +) }
    let reasons = LossReason.allCases.compactMap { reason in
      lost[reason].flatMap { $0 > 0 ? "\(NumberText.grouped($0)) \(reason.name)" : nil }
    }
    return [
      NumberText.grouped(received) + " received",
      NumberText.grouped(lost.values.reduce(0, +)) + " lost"
        + (reasons.isEmpty ? "" : " (" + reasons.joined(separator: ", ") + ")"),
    ]
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)" + (count == 1 ? "" : "s")
  }

  private func boardLines(_ boards: [LiveStatus.Board]) -> [String] {
    var table = TextTable([.init(), .init(), .init(), .init()])
    for board in boards {
      let name = TerminalText.harmless(board.identity.name)
      table.append([
        name.isEmpty ? "unnamed" : TerminalText.cut(name, to: 26),
        board.identity.address.description, board.phase.rawValue,
        subject == .streams ? SignalStrength.text(board.rssi) : "",
      ])
    }
    return table.lines
  }

  /// The lines below each board.
  private mutating func streamLines(
    _ boards: [LiveStatus.Board], width: Int
  ) -> [[String]] {
    // Minimum widths fit a long recording, so that columns stand still while numbers grow.
    let signal: [TextTable.Column] = [.init(), .init(), .init(minimumWidth: 34)]
    let chunks: [TextTable.Column] =
      subject == .recording
      ? [.init("", .right, minimumWidth: 24), .init("", .right, minimumWidth: 9)] : []
    let counts: [TextTable.Column] =
      [.init("", .right, minimumWidth: 8)] + chunks
      + [.init("", .right, minimumWidth: 16), .init()]
    var upper = TextTable(signal)
    var lower = TextTable(counts)
    var joined = TextTable(signal + counts)
    for board in boards {
      for stream in board.streams {
        let key = Key(board: board.identity.address, signal: stream.description.signal)
        histories[key, default: MagnitudeHistory()].note(stream, limit: Self.historyLength)
        let text = StreamText(stream, of: subject, history: histories[key])
        upper.append(text.signal)
        lower.append(text.counts)
        joined.append(text.signal + text.counts)
      }
    }
    var lines = joined.lines.map { ["  " + $0] }
    if lines.joined().contains(where: { TerminalText.width(of: $0) > width }) {
      lines = zip(upper.lines, lower.lines).map { ["  " + $0, "    " + $1] }
    }
    var rest = lines[...]
    return boards.map { board in
      defer { rest = rest.dropFirst(board.streams.count) }
      return Array(rest.prefix(board.streams.count).joined())
    }
  }
}
