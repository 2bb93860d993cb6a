public import Gateway
internal import Recording
public import Terminal
internal import Values

/// Formats the status of a recording, or of streams that are not recorded, as a live view's lines.
///
/// The view stores the latest magnitudes of every stream for the sparklines, so each recording
/// needs a separate view.
public struct LiveView: Sendable {
  /// The kind of live data shown.
  public enum Subject: Sendable {
    /// A recording, shown with its position and statistics.
    case recording
    /// Streams that are not recorded, shown with the signal strength of each board.
    case streams
  }

  /// The maximum number of magnitudes in a sparkline. Each update of the view adds at most one.
  public static let historyLength = 20

  private let subject: Subject

  /// Identifies a stream independently of its index in the status.
  private struct Key: Hashable, Sendable {
    var board: BoardAddress
    var signal: String
  }
  private var histories: [Key: MagnitudeHistory] = [:]

  public init(of subject: Subject = .recording) {
    self.subject = subject
  }

  /// Returns the lines for `status`, each at most `width` columns wide.
  ///
  /// Each stream is shown on one line if the terminal is wide enough for all streams, or else on
  /// two lines.
  public mutating func render(_ status: LiveStatus, width: Int) -> [ViewLine] {
    let boards = boardLines(status)
    let streams = streamLines(status, width: width)
    var lines = [summary(of: status, width: width)]
    if let pause = status.pause {
      lines.insert(
        ViewLine("PAUSED     \(DurationText.clock(pause))  no samples are stored", .alarming), at: 0
      )
    }
    if subject == .recording || status.receiver != nil {
      let position = status.pause == nil ? PositionText.long(status) : "not stored while paused"
      lines.append(ViewLine("position   " + position))
    }
    if subject == .recording,
      let walk = StatisticsText(statistics: statistics(status), names: [:]).line
    {
      lines.append(ViewLine("walk       " + walk))
    }
    for (board, streams) in zip(boards, streams) {
      lines += [ViewLine(""), board] + streams
    }
    return lines.map { ViewLine(TerminalText.cut($0.text, to: width), $0.style) }
  }

  /// Returns the whole status on one line, for output that is written to a log.
  public mutating func plainLine(_ status: LiveStatus) -> String {
    let streams = status.boards.flatMap(\.streams)
    let streaming = status.boards.count {
      $0.phase == .streaming && $0.silence(at: status.time) == nil
    }
    var rate = 0.0
    for board in status.boards {
      for stream in board.streams
      where silence(of: stream, board, status) == nil {
        rate += stream.measuredRate
      }
    }
    let names = SessionBoards(status.boards.map(\.identity)).names
    let absent = status.boards.compactMap { board in
      board.silence(at: status.time).map {
        "\(names[board.identity.address] ?? "") lost contact \(DurationText.short($0))"
      }
    }
    let pause = status.pause.map { ["PAUSED \(DurationText.clock($0))"] } ?? []
    let parts =
      [
        DurationText.clock(status.elapsed),
        status.boards.isEmpty
          ? "looking for boards"
          : "\(streaming) of \(NumberText.count(status.boards.count, "board")) streaming",
        NumberText.fixed(rate, decimals: 1) + " Hz",
      ] + pause + absent + [taken(streams), lost(status), PositionText.short(status)]
    return parts.joined(separator: ", ")
  }

  /// Returns the session's statistics. The current cadence is omitted if a board is out of contact.
  private func statistics(_ status: LiveStatus) -> SessionStatistics {
    let absent = status.boards.filter { $0.silence(at: status.time) != nil }
      .map(\.identity.address)
    var statistics = status.statistics
    for row in statistics.steps.indices where absent.contains(statistics.steps[row].board) {
      statistics.steps[row].cadence = nil
    }
    return statistics
  }

  private func summary(of status: LiveStatus, width: Int) -> ViewLine {
    let start = status.elapsed > 0 ? DurationText.clock(status.elapsed) : "waiting for samples"
    let lost = lost(status)
    let text =
      (subject == .recording ? "recording  " : "streaming  ") + start + "  "
      + NumberText.count(status.boards.count, "board") + "  "
      + taken(status.boards.flatMap(\.streams)) + "  " + lost
    let withHint = text + Self.hint
    return ViewLine(
      TerminalText.width(of: withHint) <= width ? withHint : text,
      lost == Self.nothingLost ? .plain : .notable)
  }

  /// A hint for users who see the view for the first time.
  private static let hint = "  Ctrl-C ends it"

  private static let nothingLost = "0 lost"

  /// Formats the total number of samples in these streams. During a recording, a sample is counted
  /// only after it is in the store's tail.
  private func taken(_ streams: [LiveStatus.Stream]) -> String {
    NumberText.grouped(streams.reduce(0) { $0 + $1.received })
      + (subject == .recording ? " saved" : " received")
  }

  /// Formats the number of lost samples by reason. For boards out of contact, the number is
  /// estimated.
  private func lost(_ status: LiveStatus) -> String {
    let streams = status.boards.flatMap(\.streams)
    let lost = streams.reduce(into: [:]) { $0.merge($1.lost, uniquingKeysWith: +) }
    var reasons = LossReason.allCases.compactMap { reason in
      lost[reason].flatMap { $0 > 0 ? "\(NumberText.grouped($0)) \(reason.name)" : nil }
    }
    var missing: UInt64 = 0
    for board in status.boards {
      for stream in board.streams { missing += self.missing(stream, board, status) ?? 0 }
    }
    if missing > 0 { reasons.append("~\(NumberText.grouped(missing)) out of contact") }
    return (missing > 0 ? "~" : "") + NumberText.grouped(lost.values.reduce(missing, +)) + " lost"
      + (reasons.isEmpty ? "" : " (" + reasons.joined(separator: ", ") + ")")
  }

  /// Seconds since a stream went out of contact; `nil` if the stream is in contact or has not sent
  /// anything yet.
  private func silence(
    of stream: LiveStatus.Stream, _ board: LiveStatus.Board, _ status: LiveStatus
  ) -> Double? {
    stream.lastSample == nil ? nil : board.silence(of: stream, at: status.time)
  }

  /// Returns the estimated number of samples lost since a stream went out of contact; `nil` if the
  /// stream is in contact.
  private func missing(
    _ stream: LiveStatus.Stream, _ board: LiveStatus.Board, _ status: LiveStatus
  ) -> UInt64? {
    silence(of: stream, board, status).map {
      UInt64(max(0, min(($0 * stream.description.rate).rounded(), 1e15)))
    }
  }

  private func boardLines(_ status: LiveStatus) -> [ViewLine] {
    var table = TextTable([.init(), .init(), .init(), .init(), .init()])
    var styles: [ViewLine.Style] = []
    for board in status.boards {
      let name = TerminalText.harmless(board.identity.name)
      let silence = board.silence(at: status.time)
      let isAway =
        silence != nil || [.missing, .reconnecting, .failed].contains(board.phase)
      let isLow = board.battery.map { $0 <= GatewayStatus.lowBattery } ?? false
      table.append([
        name.isEmpty ? "unnamed" : TerminalText.cut(name, to: 26),
        board.identity.address.description, Self.state(board, silence),
        subject == .streams || board.rssi != nil
          ? SignalStrength.text(isAway ? nil : board.rssi) : "",
        board.battery.map {
          (isAway ? "battery was \($0) %" : "battery \($0) %") + (isLow ? ", low" : "")
        } ?? "",
      ])
      styles.append(isAway ? .alarming : isLow ? .notable : .plain)
    }
    return zip(table.lines, styles).map { ViewLine($0, $1) }
  }

  private static func state(_ board: LiveStatus.Board, _ silence: Double?) -> String {
    if let silence { return "lost contact " + DurationText.short(silence) }
    return switch board.phase {
    case .reconnecting: "lost contact"
    case .missing: "not found yet"
    case .streaming where board.streams.allSatisfy { $0.arrived == 0 }: "ready"
    default: board.phase.rawValue
    }
  }

  /// Returns the lines about each board's streams.
  private mutating func streamLines(_ status: LiveStatus, width: Int) -> [[ViewLine]] {
    // The minimum widths are sufficient for a long recording, so the columns do not shift as
    // numbers grow.
    let signal: [TextTable.Column] = [.init(), .init(), .init(minimumWidth: 34)]
    let counts: [TextTable.Column] = [
      .init("", .right, minimumWidth: 8), .init("", .right, minimumWidth: 16), .init(),
    ]
    var upper = TextTable(signal)
    var lower = TextTable(counts)
    var joined = TextTable(signal + counts)
    var styles: [ViewLine.Style] = []
    for board in status.boards {
      for stream in board.streams {
        let key = Key(board: board.identity.address, signal: stream.description.signal)
        histories[key, default: MagnitudeHistory()].note(stream, limit: Self.historyLength)
        let missing = missing(stream, board, status)
        let text = StreamText(stream, of: subject, history: histories[key], missing: missing)
        upper.append(text.signal)
        lower.append(text.counts)
        joined.append(text.signal + text.counts)
        styles.append(missing == nil ? .plain : .faded)
      }
    }
    var lines = zip(joined.lines, styles).map { [ViewLine("  " + $0, $1)] }
    if lines.joined().contains(where: { TerminalText.width(of: $0.text) > width }) {
      lines = zip(zip(upper.lines, lower.lines), styles).map { texts, style in
        [ViewLine("  " + texts.0, style), ViewLine("    " + texts.1, style)]
      }
    }
    var rest = lines[...]
    let boards = status.boards
    return boards.map { board in
      defer { rest = rest.dropFirst(board.streams.count) }
      return Array(rest.prefix(board.streams.count).joined())
    }
  }
}
