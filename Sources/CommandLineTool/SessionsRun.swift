internal import Recording
internal import Storage

/// Body of `footbridge sessions`: what the store has, a line for each session.
enum SessionsRun {
  static let body: Commands.Body<SessionsConfiguration> = { configuration, console in
    let directory = try configuration.store.sessions()
    let lines = try directory.sessions.map {
      try SessionLine($0, in: configuration.store.path())
    }
    if configuration.reportsJSON {
      try console.print(JSONValue.array(lines.map(\.json)).text)
    } else if lines.isEmpty {
      console.notice("no sessions", ["remedy": "record one with 'footbridge record'"])
    } else {
      try console.print(table(lines, directory).joined(separator: "\n"))
    }
    return .ok
  }

  private static func table(_ lines: [SessionLine], _ directory: SessionDirectory) -> [String] {
    var table = TextTable([
      .init("session"), .init("begun"), .init("time"), .init("length", .right),
      .init("boards", .right),
      .init("samples", .right), .init("lost", .right), .init("ended"), .init("wearer"),
      .init("note"),
    ])
    for line in lines {
      table.append([
        directory.shortID(of: line.session), line.startText, line.timeSource,
        DurationText.clock(line.seconds),
        "\(line.boards)", NumberText.grouped(UInt64(line.samples)),
        NumberText.grouped(line.lost), line.ending, text(line.session.wearer),
        text(line.session.note),
      ])
    }
    return table.lines
  }

  private static func text(_ text: String) -> String {
    text.isEmpty ? "–" : TerminalText.cut(TerminalText.harmless(text), to: 30)
  }
}

/// A session in a list.
private struct SessionLine {
  let session: Session
  let start: UTCTime?
  let timeSource: String
  let seconds: Double
  let boards: Int
  let samples: Int
  let lost: UInt64
  let ending: String

  init(_ session: Session, in path: String) throws {
    // Read before the store, so that what is moved meanwhile is in both and not in neither.
    let tail = session.end == nil ? try StoreTail(store: path) : StoreTail()
    let reader = try StoreReader(path: path)
    let rest = try tail.rest(of: session.id, behind: reader)
    self.session = session
    let clock = ClockTable(rest.entries)
    start = clock.utc(at: session.start)
    timeSource = clock.sourceName
    let end =
      try session.end ?? max(reader.lastTime(of: session.id), rest.lastTime ?? session.start)
    seconds = max(0, end.seconds(since: session.start))
    boards = try reader.boards(of: session.id).count
    let open = rest.chunks.joined()
    samples = rest.streams.map(\.sampleCount).reduce(0, +) + open.reduce(0) { $0 + $1.count }
    lost = (rest.streams.map(\.lostCount) + open.flatMap { $0.gaps.map(\.lost) })
      .reduce(0) { $0.addingReportingOverflow($1).partialValue }
    ending = SessionText.ending(
      session, isBeingRecorded: StoreReader.isBeingRecordedInto(path))
  }

  var startText: String { start?.iso8601(decimals: 0) ?? "–" }

  var json: JSONValue {
    .object([
      .init("session", .string("\(session.id)")),
      .init("start", start.map { .string($0.iso8601()) } ?? .null),
      .init("timeSource", .string(timeSource)),
      .init("seconds", .number(seconds)), .init("boards", .integer(Int64(boards))),
      .init("samples", .integer(Int64(samples))), .init("lost", .integer(Int64(clamping: lost))),
      .init("ended", .string(ending)), .init("gateway", .string(session.gateway)),
      .init("wearer", .string(session.wearer)), .init("note", .string(session.note)),
    ])
  }
}
