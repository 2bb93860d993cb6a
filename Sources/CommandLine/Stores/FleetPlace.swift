internal import Export
internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal
internal import Upload
internal import Values

/// The upload endpoint from which a command reads sessions, if it does not read them from the
/// store. The user gives its URL or a destination's name.
struct FleetPlace: Hashable, Sendable {
  /// The URL or the destination name; `nil` to read from the store.
  var given: String?
  /// The gateway that recorded the sessions to read; `nil` for all gateways.
  var gateway: UniqueID?
  /// The path of the file with a token that permits reading.
  var tokenFile: String?
  /// The path of the file with the certificates to trust.
  var authorityFile: String?

  /// The options of commands that read sessions. `name` is the option that selects the endpoint.
  static func options(_ name: String = "fleet") -> [Option<FleetPlace>] {
    [
      .option(
        name, .filledText("PLACE"),
        help: "read from this endpoint, a URL such as https://walks.example.org or the name "
          + "of a destination, instead of from the store", sets: \.given),
      .option(
        "gateway", .uniqueID("ID"), help: "read only the sessions of this gateway",
        sets: \.gateway),
      .option(
        "token-file", .file("FILE"), help: "read the token for this endpoint from this file",
        sets: \.tokenFile),
      .option(
        "ca-file", .file("FILE"),
        help: "trust the certificates in this file instead of the system's", sets: \.authorityFile),
    ]
  }

  /// Returns the endpoint to read from; `nil` to read from the store.
  func endpoint(_ store: StoreLocation, _ console: Console) throws -> FleetEndpoint? {
    guard let given else {
      guard tokenFile == nil, authorityFile == nil, gateway == nil else {
        throw Complaint(
          "a token, certificates and a gateway can only be used with an endpoint",
          remedy: "also give the endpoint", status: .usage)
      }
      return nil
    }
    var settings = try Self.settings(given, store, console)
    if let tokenFile { settings.credentials = .token(file: tokenFile) }
    if let authorityFile { settings.authorityFile = authorityFile }
    guard let library = try DestinationFactory.library(settings, agent: Version.agent) else {
      throw Complaint(
        "'\(given)' is not an endpoint of the upload protocol",
        remedy: "read from Firestore with 'footbridge fetch DESTINATION', and from a folder with "
          + "'footbridge export SESSION --folder FOLDER'", status: .usage)
    }
    return FleetEndpoint(name: given, library: library, gateway: gateway)
  }

  /// Returns whether `text` is the address of a fleet's database, which only the fleet's program
  /// can open.
  static func isDatabase(_ text: String) -> Bool {
    text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
  }

  private static func settings(
    _ given: String, _ store: StoreLocation, _ console: Console
  ) throws -> DestinationSettings {
    guard given.firstRange(ofText: "://") != nil else {
      let path = try store.readablePath()
      let known = StoreReader.exists(at: path) ? try store.destinations() : []
      if let stored = known.first(where: { $0.name?.lowercased() == given.lowercased() }) {
        return try DestinationCommand.settings(of: stored)
      }
      let names = known.compactMap(\.name)
      throw Complaint(
        "there is no destination '\(TerminalText.harmless(given))' in \(path)",
        remedy: (names.isEmpty
          ? ""
          : "the destination\(names.count == 1 ? " is" : "s are") "
            + "\(names.joined(separator: ", "))\n")
          + "write an address such as https://HOST, or specify another store with --store FILE")
    }
    guard !isDatabase(given) else {
      throw Complaint(
        "this is the address of a database, not of an endpoint",
        remedy: "use the address of the 'footbridge-fleet receive' that uses this database",
        status: .usage)
    }
    let settings = DestinationSettings(try DestinationChoice.endpoint(given, command: "sessions"))
    DestinationCommand.warnOfPlainText(settings, console)
    return settings
  }
}

/// An upload endpoint from which commands read sessions.
struct FleetEndpoint: Sendable {
  /// The endpoint's name or URL as given by the user.
  let name: String
  private let library: EndpointLibrary
  private let gateway: UniqueID?

  init(name: String, library: EndpointLibrary, gateway: UniqueID?) {
    self.name = name
    self.library = library
    self.gateway = gateway
  }

  /// The command that lists the sessions at the endpoint. It always contains '--fleet', even if the
  /// user called 'fetch' without an option.
  var list: String { ShellText.list([Version.program, "sessions", "--fleet", name]) }

  /// Returns the sessions with their summaries, oldest first. If `newest` is given, older sessions
  /// beyond that number are omitted.
  func sessions(
    newest: Int?, _ console: Console
  ) async throws -> [(entry: HeldSession, summary: EndpointLibrary.SummaryFinding)] {
    try await asking(console) {
      let (entries, hasMore) = try await library.entries(
        of: gateway, newest: newest, withSummaries: true)
      if hasMore {
        console.warning(
          "older sessions are not listed",
          [
            "listed": "\(entries.count)",
            "remedy":
              "give the complete id of an older session, or select one gateway with '--gateway'",
          ])
      }
      let summaries = try await library.summaries(of: entries) { done, count in
        console.showProgress(
          "reading  \(NumberText.grouped(done)) of \(NumberText.grouped(count)) "
            + "sessions")
      }
      return Array(zip(entries, summaries).map { (entry: $0, summary: $1) })
    }
  }

  /// Returns the session that `word` matches, with its session record.
  func session(
    _ word: String, _ console: Console
  ) async throws -> (entry: HeldSession, record: SessionRecord) {
    try await asking(console) {
      let (entries, hasMore) = try await library.entries(of: gateway)
      // An endpoint lists only a limited number of its newest sessions. Older sessions can be found
      // only by their complete ids.
      if hasMore, let id = UniqueID(word), !entries.contains(where: { $0.id == id }) {
        let entry = HeldSession(id: id, chunks: 0, fixes: 0, hasRecord: true, gateway: gateway)
        if let record = try await library.record(of: entry) {
          return (entry: entry, record: record)
        }
      }
      if hasMore, word != SessionDirectory.last {
        console.warning(
          "older sessions are not searched",
          ["listed": "\(entries.count)", "remedy": "give the complete id of an older session"])
      }
      // A session cannot be read until its record has arrived, so 'last' skips sessions without a
      // record.
      let readable = word == SessionDirectory.last ? entries.filter(\.hasRecord) : entries
      guard !readable.isEmpty else { throw nothingToRead(isArriving: !entries.isEmpty) }
      let names = SessionNames(readable.map(\.id), in: name, list: list)
      let entry = readable[try names.position(of: word)]
      guard let record = try await library.record(of: entry) else {
        throw Complaint(
          "session \(entry.id) is still being sent: its record has not arrived at \(name) yet",
          remedy: "wait until its gateway has sent it")
      }
      return (entry: entry, record: record)
    }
  }

  /// Returns the error if the endpoint has no sessions, or no session with a record that has
  /// arrived.
  private func nothingToRead(isArriving: Bool) -> Complaint {
    let place = TerminalText.harmless(name)
    guard !isArriving else {
      return Complaint(
        "all sessions at \(place) are still being sent: no record has arrived yet",
        remedy: "wait until a gateway has sent one; '\(list)' lists them")
    }
    guard let gateway else {
      return Complaint(
        "no sessions at \(place)",
        remedy: "send one there from a gateway, as with 'footbridge upload'")
    }
    return Complaint(
      "no sessions from gateway \(gateway) at \(place)",
      remedy: "omit '--gateway', or give the id of another gateway: '\(list) --json' shows the ids")
  }

  /// Runs `body` on a temporary store that contains a copy of a session, or of the selected part of
  /// it. `body` also receives the list of missing chunks and fixes.
  func withCopy(
    of session: (entry: HeldSession, record: SessionRecord),
    part selection: ExportSelection = ExportSelection(), _ console: Console,
    _ body: (String, SessionCopy.Missing) async throws -> ExitStatus
  ) async throws -> ExitStatus {
    let folder: TemporaryFolder
    do throws(SystemError) {
      folder = try TemporaryFolder()
    } catch {
      throw Complaint(
        error.description, remedy: "set TMPDIR to a folder with enough space for the session")
    }
    let path = folder.path + "/session.sqlite"
    let missing = try await asking(console) {
      try await EndpointCopy.copy(
        session.record, session.entry, from: library, selection, into: path
      ) { done, count in
        console.showProgress(
          "fetching  \(NumberText.grouped(done)) of \(NumberText.grouped(count)) "
            + "chunks")
      }
    }
    for chunk in missing.chunks {
      console.warning(
        "missing", ["chunk": "\(chunk.id)", "reason": TerminalText.harmless(chunk.reason)])
    }
    for fixes in missing.fixes { console.tell(fixes) }
    // The temporary folder is removed after the last use of `folder`.
    defer { withExtendedLifetime(folder) {} }
    let status = try await body(path, missing)
    // Each command decides whether missing chunks are an error. Missing fixes are an error for all
    // commands.
    return status == .ok && !missing.fixes.isEmpty ? .notUnderstood : status
  }

  /// Sends requests to the endpoint until they complete or a signal cancels them. Converts setbacks
  /// to complaints.
  private func asking<Answer: Sendable>(
    _ console: Console, _ body: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    let signals = Signals(console)
    do {
      guard let answer = try await signals.cancelling(body) else {
        throw Interruption(status: signals.status)
      }
      return answer
    } catch let setback as Setback {
      throw Complaint(
        "cannot read from \(TerminalText.harmless(name)): \(setback.reason)",
        remedy: setback.remedy, status: .unreachable)
    }
  }

  /// Thrown when a signal ends the command.
  private struct Interruption: Error {
    let status: ExitStatus
  }

  /// Runs `body`, which contacts the endpoint. Returns the exit status from `body`, or the exit
  /// status for the signal that interrupted it.
  static func ending(
    _ body: () async throws -> ExitStatus
  ) async throws -> ExitStatus {
    do {
      return try await body()
    } catch let interruption as Interruption {
      return interruption.status
    }
  }
}

extension Console {
  /// Warns about fixes that are missing from a session's track.
  func tell(_ missing: MissingFixes) {
    warning(
      "missing",
      [
        "fixes": "\(missing.count)", "from": "\(missing.first)",
        "reason": TerminalText.harmless(missing.reason),
      ])
  }
}
