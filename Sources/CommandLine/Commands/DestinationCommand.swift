internal import Gateway
internal import LinuxSystem
internal import Storage
internal import Terminal
internal import Upload
internal import Values

/// `footbridge destination`: manages the destinations to which recordings are uploaded.
struct DestinationCommand: StoreVerb {
  enum Action: String, CaseIterable, Hashable, Sendable {
    /// Add a destination, or replace its settings.
    case add
    case list
    case remove
    /// Test whether a destination accepts uploads now.
    case test
  }

  var action = Action.list
  var name: String?
  /// The URL of an upload endpoint.
  var url: String?
  /// The name of a Firestore project.
  var project: String?
  /// The path of the folder that serves as the destination.
  var folder: String?
  /// The name of the database in the Firestore project.
  var database: String?
  var layout: DestinationSettings.FirestoreLayout?
  /// The path of a file with a bearer token.
  var tokenFile: String?
  /// The path of a file with a service account's key.
  var keyFile: String?
  /// The path of a file with an e-mail address and a password.
  var loginFile: String?
  /// The path of a file with the certificates to trust.
  var authorityFile: String?
  var certificateFile: String?
  var certificateKeyFile: String?
  /// The proxy's URL.
  var proxy: String?
  /// Whether to compress request bodies with gzip.
  var compresses = false
  /// The maximum upload rate in kilobytes per second.
  var limit: Double?
  /// The maximum number of concurrent requests.
  var parallel: UInt8?
  var newestFirst = false
  /// The local hours during which uploads are allowed; `nil` for any time.
  var hours: UploadHours?
  var reportsJSON = false
  var store: StoreLocation

  static let options: [Option<DestinationCommand>] = [
    .option(
      "http", .endpoint, excludes: ["firestore", "folder"],
      help: "an endpoint of the upload protocol", sets: \.url),
    .option(
      "firestore", .filledText("PROJECT"), excludes: ["folder"],
      help: "a Firestore database in this project", sets: \.project),
    .option(
      "folder", .folder("PATH"), help: "a folder, for example on a USB stick", sets: \.folder),
    .option(
      "layout", .word("LAYOUT"),
      help: "layout of sessions in Firestore: researchers, researchers-per-user or compact "
        + "(default: compact)", sets: \.layout),
    .option(
      "database", .filledText("NAME"), help: "the database in the project (default: '(default)')",
      sets: \.database),
    .option(
      "token-file", .file("FILE"), help: "read the bearer token from this file", sets: \.tokenFile),
    .option(
      "key-file", .file("FILE"), help: "read the service account's key from this file",
      sets: \.keyFile),
    .option(
      "login-file", .file("FILE"), help: "read the e-mail address and password from this file",
      sets: \.loginFile),
    .option(
      "ca-file", .file("FILE"), help: "trust the certificates in this file instead of the system's",
      sets: \.authorityFile),
    .option(
      "certificate", .file("FILE"), help: "read the client certificate from this file",
      sets: \.certificateFile),
    .option(
      "certificate-key", .file("FILE"), help: "read the client certificate's key from this file",
      sets: \.certificateKeyFile),
    .option(
      "proxy", .filledText("URL"),
      help: "use this proxy (default: the one in the environment)", sets: \.proxy),
    .flag("compress", help: "compress with gzip when that saves space", sets: \.compresses),
    .option(
      "limit", .number("KB/S", above: 0, upTo: 1e6),
      help: "send at most this many kilobytes per second", sets: \.limit),
    .option(
      "parallel", .wholeNumber("N", in: 1...16),
      help: "send at most N requests at once (default: depends on the destination)",
      sets: \.parallel),
    .flag("newest-first", help: "send the newest recordings first", sets: \.newestFirst),
    .option(
      "hours", .hours, help: "send only during these local hours, as in 20:00-06:00",
      sets: \.hours),
    .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON),
    .store(sets: \.store),
  ]

  static let definition = CommandDefinition<DestinationCommand>(
    name: "destination", summary: "choose where recordings are sent",
    discussion: """
      ACTION is add, list, remove or test.

      add NAME adds a destination, with one of --http, --firestore and --folder; 'footbridge \
      upload' sends to it. Secrets are never typed on the command line: give the path of a file \
      that nobody else can read. Adding NAME again with the same URL, project or folder replaces \
      its settings. If the URL, project or folder differs, the command fails: choose another NAME.

      list shows the destinations. test NAME checks whether the destination accepts uploads now, \
      without storing anything there. remove NAME removes the destination, but does not delete any \
      recordings. If the same destination is added again, nothing is sent twice.

      Example: footbridge destination add home --http https://walks.example.org --token-file \
      /etc/footbridge/token
      """,
    initial: { DestinationCommand(store: StoreLocation(environment: $0)) },
    options: options,
    operands: [
      .required(.word("ACTION"), sets: \.action),
      .optional(.unchecked("NAME", .own(.destination)), sets: \.name),
    ])

  func run(_ console: Console) async throws -> ExitStatus {
    try DestinationChoice.check(self)
    switch action {
    case .add: return try await add(console)
    case .list: return try list(console)
    case .remove: return try remove(console)
    case .test: return try await test(console)
    }
  }

  private func add(_ console: Console) async throws -> ExitStatus {
    let name = self.name ?? ""
    var settings = try DestinationChoice.settings(self)
    settings.account = try DestinationFactory.account(of: settings)
    // Reject unusable settings before storing them, such as the path of a file that is missing or
    // readable by other users.
    _ = try DestinationFactory.make(settings, agent: Version.agent)
    let path = try store.pathInFolder()
    // A destination can be added before the first recording creates the store.
    if !StoreReader.exists(at: path) { try Store.open(path: path).close() }
    let stored = try StoreEditor(path: path).addDestination(
      named: name, place: settings.placeText, settings: settings.text,
      at: BootClock.systemTime())
    Self.warnOfPlainText(settings, console)
    if case .folder(let folder) = settings.place, !Folder.exists(folder) {
      console.warning(
        "folder not found",
        [
          "place": folder,
          "remedy": "create the folder, or mount its disk, before the first upload",
        ])
    }
    let counts = try StoreReader(path: path).uploadCounts(for: stored)
    if reportsJSON {
      try console.print(
        DestinationText.json(stored, settings: settings, counts).text)
    } else {
      try console.print(
        "\(name): \(DestinationText.place(stored)); "
          + DestinationText.backlog(counts, sentBefore: true))
    }
    return .ok
  }

  private func list(_ console: Console) throws -> ExitStatus {
    let destinations = try store.destinations()
    if reportsJSON {
      let values = try destinations.map { stored in
        DestinationText.json(
          stored, settings: try? Self.settings(of: stored),
          try StoreReader(path: try store.path()).uploadCounts(for: stored))
      }
      try console.print(JSONValue.array(values).text)
    } else if destinations.isEmpty {
      console.notice("no destinations", ["remedy": StoreLocation.addition])
    } else {
      var table = TextTable([
        .init("name"), .init("place"), .init("credentials"), .init("settings"),
      ])
      for stored in destinations {
        let settings = try? Self.settings(of: stored)
        table.append([
          stored.name ?? "", DestinationText.place(stored),
          settings.map(DestinationText.credentials) ?? "?",
          settings.map(DestinationText.settings) ?? "unreadable",
        ])
      }
      try console.print(table.lines.joined(separator: "\n"))
    }
    return .ok
  }

  /// Warns if, with these settings, a token would be sent without encryption.
  static func warnOfPlainText(_ settings: DestinationSettings, _ console: Console) {
    guard case .http(let url) = settings.place, settings.credentials != .none,
      let address = try? EndpointAddress(url), address.isPlain, !address.isLocal
    else { return }
    console.warning("not encrypted", ["place": url, "remedy": "use an https:// address"])
  }

  static func settings(of stored: StoredDestination) throws -> DestinationSettings {
    do throws(DestinationSettings.Malformed) {
      return try DestinationSettings(placeText: stored.place, text: stored.settings)
    } catch {
      throw Complaint(
        "cannot read the destination '\(stored.name ?? "")': \(error)",
        remedy: "add it again as described in 'footbridge destination --help'")
    }
  }

  private func one() throws -> StoredDestination {
    let found = try store.destinations(named: [name ?? ""])
    guard let stored = found.first else {
      preconditionFailure("an unknown name is rejected")
    }
    return stored
  }

  private func remove(_ console: Console) throws -> ExitStatus {
    let stored = try one()
    let path = try store.path()
    let counts = try StoreReader(path: path).uploadCounts(for: stored)
    _ = try StoreEditor(path: path).removeDestination(named: stored.name ?? "")
    if reportsJSON {
      try console.print(DestinationText.json(stored, settings: nil, counts).text)
    } else {
      try console.print(
        "\(stored.name ?? "") was removed: \(DestinationText.place(stored)).\n"
          + DestinationText.remains(counts))
    }
    return .ok
  }

  private func test(_ console: Console) async throws -> ExitStatus {
    let stored = try one()
    let destination = try DestinationFactory.make(
      try Self.settings(of: stored), agent: Version.agent)
    let signals = Signals(console)
    guard let setback = try await signals.cancelling({ await destination.test() }) else {
      return signals.status
    }
    guard signals.status == .ok else { return signals.status }
    let place = DestinationText.place(stored)
    if reportsJSON {
      try console.print(
        JSONValue.object([
          .init("destination", .string(stored.name ?? "")), .init("reachable", setback == nil),
          .init("reason", setback?.reason), .init("remedy", setback?.remedy),
        ]).text)
    } else if setback == nil {
      try console.print("'\(stored.name ?? "")' accepts uploads: \(place)")
    }
    guard let setback else { return .ok }
    guard !reportsJSON else { return .unreachable }
    throw Complaint(
      "cannot upload to '\(stored.name ?? "")': \(setback.reason)",
      remedy: setback.remedy, status: .unreachable)
  }
}
