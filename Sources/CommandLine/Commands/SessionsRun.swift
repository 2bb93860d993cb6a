internal import Recording
internal import Storage
internal import Values

/// Body of `footbridge sessions`: what the store has, a line for each session.
enum SessionsRun {
  /// Sessions listed when no number is given: as many as a small terminal has lines for.
  static let usualCount = 20

  static let body: Commands.Body<SessionsConfiguration> = { configuration, console in
    let path = try configuration.store.existingPath()
    StoreLocation.takeInLeftovers(of: path, console)
    // Read before the store, so that records moved meanwhile are in both and not in neither.
    let tail = try StoreTail(store: path)
    let reader = try StoreReader(path: path)
    let all = try reader.sessions()
    let shown = all.suffix(count(configuration) ?? all.count)
    let isBeingRecorded = StoreReader.isBeingRecordedInto(path)
    let lines = try reader.outlines(of: Array(shown), tail).map {
      SessionLine(outline: $0, isBeingRecorded: isBeingRecorded)
    }
    if configuration.reportsJSON {
      try console.print(JSONValue.array(lines.map(\.json)).text)
    } else if lines.isEmpty {
      console.notice("no sessions", ["remedy": "record one with 'footbridge record'"])
    } else {
      let directory = SessionDirectory(all, in: path)
      try console.print(
        (more(all.count - lines.count) + table(lines, directory)).joined(separator: "\n"))
    }
    return .ok
  }

  /// How many are listed; `nil` for all. A program gets all unless it asks for fewer: it would not
  /// see that some are missing.
  private static func count(_ configuration: SessionsConfiguration) -> Int? {
    configuration.newest
      ?? (configuration.showsAll || configuration.reportsJSON ? nil : usualCount)
  }

  private static func more(_ count: Int) -> [String] {
    count == 0
      ? []
      : [
        "\(NumberText.grouped(UInt64(count))) earlier "
          + (count == 1 ? "session is" : "sessions are")
          + " not listed: --all lists every one, --newest N as many as you like", "",
      ]
  }

  private static func table(_ lines: [SessionLine], _ directory: SessionDirectory) -> [String] {
    var table = TextTable([
      .init("session"), .init("begun"), .init("time"), .init("length", .right),
      .init("boards", .right),
      .init("samples", .right), .init("lost", .right), .init("ended"), .init("wearer"),
      .init("note"),
    ])
    for line in lines {
      let outline = line.outline
      table.append([
        directory.shortID(of: outline.session), line.startText, outline.clock.sourceName,
        DurationText.clock(line.seconds),
        "\(outline.boards)", NumberText.grouped(UInt64(outline.samples)),
        NumberText.grouped(outline.lost), line.ending, text(outline.session.wearer),
        text(outline.session.note),
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
  let outline: SessionOutline
  let isBeingRecorded: Bool

  private var start: UTCTime? { outline.clock.utc(at: outline.session.start) }

  var startText: String { start?.iso8601(decimals: 0) ?? "–" }

  var seconds: Double { max(0, outline.end.seconds(since: outline.session.start)) }

  var ending: String {
    SessionText.ending(outline.session, isBeingRecorded: isBeingRecorded)
  }

  var json: JSONValue {
    let session = outline.session
    return .object([
      .init("session", .string("\(session.id)")),
      .init("start", start.map { .string($0.iso8601()) } ?? .null),
      .init("timeSource", .string(outline.clock.sourceName)),
      .init("seconds", .number(seconds)), .init("boards", .integer(Int64(outline.boards))),
      .init("samples", .integer(Int64(outline.samples))),
      .init("lost", .integer(Int64(clamping: outline.lost))),
      .init("ended", .string(ending)), .init("gateway", .string(session.gateway)),
      .init("wearer", .string(session.wearer)), .init("note", .string(session.note)),
    ])
  }
}
