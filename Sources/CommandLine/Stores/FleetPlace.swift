internal import Export
internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Storage
internal import Terminal
internal import Upload
internal import Values

/// The endpoint from which sessions are read instead of from the store, by its address or by the
/// name of a destination.
struct FleetPlace: Hashable, Sendable {
  /// The address or name; `nil` if the sessions are in the store.
  var given: String?
  /// The gateway whose sessions are meant; all if none is named.
  var gateway: UniqueID?
  /// The file of a token that may read.
  var tokenFile: String?
  /// A file of certificates to trust.
  var authorityFile: String?

  /// The options of commands that read sessions; `name` is that of the place itself.
  static func options(_ name: String = "fleet") -> [Option<FleetPlace>] {
    [
      .option(
        name, .filledText("PLACE"),
        help: "read from this endpoint, an address such as https://walks.example.org or the name "
          + "of a destination, instead of from the store", sets: \.given),
      .option(
        "gateway", .uniqueID("ID"), help: "only the sessions of this gateway",
        sets: \.gateway),
      .option(
        "token-file", .file("FILE"), help: "a token that may read there is in this file",
        sets: \.tokenFile),
      .option(
        "ca-file", .file("FILE"),
        help: "trust the certificates in this file instead of the system's", sets: \.authorityFile),
    ]
  }

  /// The endpoint that is meant; `nil` if the sessions are in the store.
  func endpoint(_ store: StoreLocation, _ console: Console) throws -> FleetEndpoint? {
    guard let given else {
      guard tokenFile == nil, authorityFile == nil, gateway == nil else {
        throw Complaint(
          "a token, certificates and a gateway are only for an endpoint",
          remedy: "name the endpoint too", status: .usage)
      }
      return nil
    }
    var settings = try Self.settings(given, store, console)
    if let tokenFile { settings.credentials = .token(file: tokenFile) }
    if let authorityFile { settings.authorityFile = authorityFile }
    guard let library = try DestinationFactory.library(settings, agent: Version.agent) else {
      throw Complaint(
        "'\(given)' is not an endpoint of the upload protocol",
        remedy: "read a Firestore with 'footbridge fetch DESTINATION', and a folder with "
          + "'footbridge export SESSION --folder FOLDER'", status: .usage)
    }
    return FleetEndpoint(name: given, library: library, gateway: gateway)
  }

  /// Whether a text is the address of a fleet's database, which only the fleet's program opens.
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
          ? "" : "there \(names.count == 1 ? "is" : "are") \(names.joined(separator: ", "))\n")
          + "write an address such as https://HOST, or name another store with --store FILE")
    }
    guard !isDatabase(given) else {
      throw Complaint(
        "that is the address of a database, and not of an endpoint",
        remedy: "write the address of the 'footbridge-fleet receive' that has this database",
        status: .usage)
    }
    let settings = DestinationSettings(try DestinationChoice.endpoint(given, command: "sessions"))
    DestinationCommand.warnOfPlainText(settings, console)
    return settings
  }
}

/// An endpoint whose sessions commands read.
struct FleetEndpoint: Sendable {
  /// The name as the user gave it.
  let name: String
  private let library: EndpointLibrary
  private let gateway: UniqueID?

  init(name: String, library: EndpointLibrary, gateway: UniqueID?) {
    self.name = name
    self.library = library
    self.gateway = gateway
  }

  /// The command that lists its sessions. 'fetch' may have named it without an option.
  var list: String { ShellText.list([Version.program, "sessions", "--fleet", name]) }

  /// The newest sessions, at most this number or all, each with its summary; the newest last.
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
            "remedy": "name an older one by its whole id, or one gateway with '--gateway'",
          ])
      }
      let summaries = try await library.summaries(of: entries) { done, count in
        console.showProgress(
          "reading  \(NumberText.grouped(UInt64(done))) of \(NumberText.grouped(UInt64(count))) "
            + "sessions")
      }
      return Array(zip(entries, summaries).map { (entry: $0, summary: $1) })
    }
  }

  /// The session that a word means, with its record.
  func session(
    _ word: String, _ console: Console
  ) async throws -> (entry: HeldSession, record: SessionRecord) {
    try await asking(console) {
      let (entries, hasMore) = try await library.entries(of: gateway)
      // An endpoint lists a number of the newest sessions. An older one is found by its whole id.
      if hasMore, let id = UniqueID(word), !entries.contains(where: { $0.id == id }) {
        let entry = HeldSession(id: id, chunks: 0, fixes: 0, hasRecord: true, gateway: gateway)
        if let record = try await library.record(of: entry) {
          return (entry: entry, record: record)
        }
      }
      if hasMore, word != SessionDirectory.last {
        console.warning(
          "older sessions are not looked at",
          ["listed": "\(entries.count)", "remedy": "name an older one by its whole id"])
      }
      // A session without its record cannot be read, so 'last' skips it.
      let readable = word == SessionDirectory.last ? entries.filter(\.hasRecord) : entries
      guard !readable.isEmpty else { throw nothingToRead(isArriving: !entries.isEmpty) }
      let names = SessionNames(readable.map(\.id), in: name, list: list)
      let entry = readable[try names.position(of: word)]
      guard let record = try await library.record(of: entry) else {
        throw Complaint(
          "session \(entry.id) is still being sent: its record is not at \(name) yet",
          remedy: "wait until its gateway has sent it")
      }
      return (entry: entry, record: record)
    }
  }

  /// The complaint about an endpoint that has no session, or none whose record is there.
  private func nothingToRead(isArriving: Bool) -> Complaint {
    let place = TerminalText.harmless(name)
    guard !isArriving else {
      return Complaint(
        "all sessions at \(place) are still being sent: no record has arrived yet",
        remedy: "wait until a gateway has sent one; '\(list)' lists them")
    }
    guard let gateway else {
      return Complaint(
        "there is no session at \(place)",
        remedy: "send one there from a gateway, as with 'footbridge upload'")
    }
    return Complaint(
      "there is no session of gateway \(gateway) at \(place)",
      remedy: "leave '--gateway' out, or name another: '\(list) --json' shows their ids")
  }

  /// Runs work on a store that has a copy of a session, or of the part that a selection needs, with
  /// the list of missing parts.
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
        error.description, remedy: "set TMPDIR to a folder with room for the session")
    }
    let path = folder.path + "/session.sqlite"
    let missing = try await asking(console) {
      try await EndpointCopy.copy(
        session.record, session.entry, from: library, selection, into: path
      ) { done, count in
        console.showProgress(
          "fetching  \(NumberText.grouped(UInt64(done))) of \(NumberText.grouped(UInt64(count))) "
            + "chunks")
      }
    }
    for chunk in missing.chunks {
      console.warning(
        "missing", ["chunk": "\(chunk.id)", "reason": TerminalText.harmless(chunk.reason)])
    }
    for fixes in missing.fixes { console.tell(fixes) }
    // The folder is removed after the last use of this.
    defer { withExtendedLifetime(folder) {} }
    let status = try await body(path, missing)
    // Commands know whether they need the chunks. Positions belong to all that they show.
    return status == .ok && !missing.fixes.isEmpty ? .notUnderstood : status
  }

  /// Asks the endpoint something, which a signal cancels. Its setbacks become complaints.
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

  /// A signal ended the command.
  private struct Interruption: Error {
    let status: ExitStatus
  }

  /// The exit status of a command that asks the endpoint, even after a signal.
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
  /// Warns of fixes that are missing in a track.
  func tell(_ missing: MissingFixes) {
    warning(
      "missing",
      [
        "fixes": "\(missing.count)", "from": "\(missing.first)",
        "reason": TerminalText.harmless(missing.reason),
      ])
  }
}
