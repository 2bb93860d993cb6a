internal import LinuxSystem
internal import Storage
internal import Terminal
internal import Values

/// `footbridge uploads`: shows sent, waiting and parked data, or retries parked data.
struct UploadsCommand: StoreVerb {
  /// Actions other than showing uploads.
  enum Action: String, CaseIterable, Hashable, Sendable {
    /// Send parked data again in the next upload.
    case retry
  }

  /// The action; `nil` to show uploads.
  var action: Action?
  /// The names of the destinations; empty for all.
  var destinations: [String] = []
  var reportsJSON = false
  var isInUTC = false
  var store: StoreLocation

  static let options: [Option<UploadsCommand>] = [
    .option(
      "destination", .destination("NAME"),
      help: "show or retry only this destination (repeatable; default: all)",
      adds: \.destinations),
    .flag("json", help: "print the uploads as JSON", sets: \.reportsJSON),
    .utc(sets: \.isInUTC),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<UploadsCommand>(
    name: "uploads", summary: "show sent, waiting and parked data",
    discussion: """
      Shows how much data each destination has received, how much is waiting, and how much was \
      rejected (parked), with the reasons. If a destination could not be reached, 'next try' is \
      the time of the automatic retry; 'footbridge upload' retries at once.

      'footbridge uploads retry' makes the next upload send the parked data again.
      """,
    initial: { UploadsCommand(store: StoreLocation(environment: $0)) },
    options: options, operands: [.optional(.word("retry"), sets: \.action)])

  func run(_ console: Console) async throws -> ExitStatus {
    let stored = try store.destinations(named: destinations)
    guard !stored.isEmpty else {
      if reportsJSON { try console.print("[]") }
      console.notice("no destinations", ["remedy": StoreLocation.addition])
      return .ok
    }
    let path = try store.path()
    if action == .retry {
      try retry(stored, in: path, console)
      return .ok
    }
    let reader = try StoreReader(path: path)
    let states = try stored.map {
      UploadsState(
        $0, try reader.uploadCounts(for: $0), try reader.parked(for: $0),
        now: BootClock.systemTime())
    }
    let losses = try reader.losses()
    try console.print(
      reportsJSON
        ? JSONValue.array(states.map(\.json)).text
        : (UploadsState.lines(states, inUTC: isInUTC, within: console.tableWidth)
          + Self.lines(losses.chunks, losses.doubtful).map(console.complete))
          .joined(separator: "\n"))
    return losses == (0, 0) ? .ok : .notUnderstood
  }

  /// Returns lines about data that was lost before it was sent; empty if no data was lost.
  private static func lines(_ chunks: Int, _ doubtful: Int) -> [String] {
    let parts = [
      chunks == 0 ? nil : NumberText.count(chunks, "chunk"),
      doubtful == 0
        ? nil : "an unknown number of samples from \(NumberText.count(doubtful, "session"))",
    ].compactMap(\.self)
    guard !parts.isEmpty else { return [] }
    return [
      "Lost before they were sent: " + parts.joined(separator: ", ")
        + "; 'footbridge sessions --all' names the sessions"
    ]
  }

  private func retry(_ stored: [StoredDestination], in path: String, _ console: Console) throws {
    let editor = try StoreEditor(path: path)
    var lines: [String] = []
    var values: [JSONValue] = []
    for stored in stored {
      let count = try editor.retryParked(stored)
      lines.append(
        "\(stored.name ?? ""): "
          + (count == 0
            ? "nothing is parked"
            : "\(count) unparked; 'footbridge upload' sends the data again"))
      values.append(
        .object([
          .init("destination", .string(stored.name ?? "")), .init("count", count),
        ]))
    }
    try console.print(
      reportsJSON
        ? JSONValue.array(values).text : console.complete(lines.joined(separator: "\n")))
  }
}

/// The upload state of one destination.
struct UploadsState {
  private let stored: StoredDestination
  private let counts: UploadCounts
  private let parked: [ParkedUpload]
  private let now: UTCTime

  init(
    _ stored: StoredDestination, _ counts: UploadCounts, _ parked: [ParkedUpload], now: UTCTime
  ) {
    self.stored = stored
    self.counts = counts
    self.parked = parked
    self.now = now
  }

  private var name: String { stored.name ?? "" }

  /// The next automatic retry's time; `nil` if none is scheduled.
  private var nextTry: UTCTime? { stored.restingUntil.flatMap { $0 > now ? $0 : nil } }

  /// Formats all states as a table at most `width` columns wide. Below the table, lists the reasons
  /// why data is waiting or parked.
  static func lines(
    _ states: [UploadsState], inUTC: Bool, within width: Int = .max
  ) -> [String] {
    var table = TextTable([
      .init("destination"), .init("done", .right), .init("waiting", .right),
      .init("parked", .right), .init("sessions", .right), .init("next try"),
    ])
    for state in states {
      let counts = state.counts
      let sessions = counts.sentSessions + counts.waitingSessions + counts.parkedSessions
      table.append([
        state.name, amount(counts.sentChunks), amount(counts.waitingChunks),
        "\(counts.parkedChunks.count + counts.parkedSessions)",
        "\(counts.sentSessions) of \(sessions)",
        SessionText.date(state.nextTry, inUTC: inUTC) ?? "–",
      ])
    }
    return table.lines(within: width) + states.flatMap(\.reasons)
  }

  private static func amount(_ amount: UploadCounts.Amount) -> String {
    amount.count == 0
      ? "–" : "\(NumberText.grouped(amount.count)) (\(ByteText.short(amount.bytes)))"
  }

  /// The reasons why data is waiting or parked. Each reason appears once, with its count.
  private var reasons: [String] {
    var lines: [String] = []
    if !stored.error.isEmpty {
      let words = stored.error.split(separator: "\n").map { TerminalText.harmless(String($0)) }
      lines.append(
        "sending to \(name) failed\(stored.failures > 1 ? " \(stored.failures) times" : ""): "
          + (words.first ?? ""))
      lines += words.dropFirst().map { "  \($0)" }
    }
    var words: [String] = []
    var groups: [String: [ParkedUpload]] = [:]
    for upload in parked {
      if groups[upload.error] == nil { words.append(upload.error) }
      groups[upload.error, default: []].append(upload)
    }
    for word in words {
      guard let group = groups[word], let first = group.first else { continue }
      let what =
        group.count == 1 ? Self.text(first) : "\(group.count) parked, first \(Self.text(first))"
      lines.append("\(name) rejected \(what): \(TerminalText.harmless(word))")
    }
    return lines
  }

  private static func text(_ upload: ParkedUpload) -> String {
    let session = "session \(upload.session.description.prefix(8))"
    guard let place = upload.place else { return "the record of \(session)" }
    let signal = TerminalText.harmless(place.signal)
    return "chunk \(place.sequence) of \(place.board) \(signal), \(session)"
  }

  var json: JSONValue {
    let list = parked.map { upload in
      JSONValue.object([
        .init("chunk", upload.chunk), .init("session", upload.session),
        .init("board", upload.place?.board), .init("signal", upload.place?.signal),
        .init("sequence", upload.place?.sequence), .init("attempts", upload.attempts),
        .init("reason", upload.error), .init("time", upload.time.iso8601()),
      ])
    }
    return .object(
      [
        .init("destination", name), .init("place", stored.place),
        .init("nextTry", nextTry?.iso8601()), .init("failures", stored.failures),
        .init("reason", stored.error.isEmpty ? .null : stored.error.json),
      ] + DestinationText.json(counts) + [.init("items", .array(list))])
  }
}
