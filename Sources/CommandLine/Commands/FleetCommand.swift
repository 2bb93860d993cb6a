internal import FleetStore
internal import LinuxSystem
internal import Live
internal import Recording
internal import Values

/// `footbridge fleet`: the database of a fleet, its gateways and their tokens.
struct FleetCommand: Verb {
  /// What can be done with a fleet.
  enum Action: String, CaseIterable, Hashable, Sendable {
    /// Make the tables, or bring them up to date.
    case migrate
    /// Add a gateway or a reader.
    case add
    /// Show all of them.
    case list
    /// Show where they are and what they do, until a signal.
    case watch
    /// Show one of them, and how much came from it.
    case show
    /// Turn its token away from now on.
    case revoke
    /// Give it another token.
    case rotate
  }

  /// What to do.
  var action = Action.list
  /// The name of a gateway or reader.
  var name: String?
  /// The database.
  var database: String?
  /// The database that is used without an option.
  var usualDatabase: String?
  /// The permanent name of a gateway that is added.
  var gateway: UniqueID?
  /// Whether who is added only reads.
  var isReader = false
  /// The broker at which the fleet is watched; the database is looked at without it.
  var broker = BrokerChoice()
  /// Whether the outcome is JSON instead of text.
  var reportsJSON = false
  /// Whether dates are in universal time.
  var isInUTC = false

  /// Its options, in the order of the help.
  static let options: [Option<FleetCommand>] =
    [
      .option(
        "database", .filledText("ADDRESS"),
        help: "the database, as in postgres://user@host/walks (default: $\(variable))",
        sets: \.database),
      .option(
        "gateway", .uniqueID("ID"), excludes: ["reader"],
        help: "with add: the permanent name of the gateway, which 'footbridge definitions show' "
          + "tells there (default: a new one)", sets: \.gateway),
      .flag(
        "reader", help: "with add: a token that reads all sessions and sends none",
        sets: \.isReader),
    ]
    + BrokerChoice.options(
      "broker", areSeveral: false,
      help: "with watch: look at this MQTT broker, and not at the database"
    ).map { $0.lifted(into: \.broker) } + [
      .flag(
        "json", help: "print the outcome as JSON; with watch, an object for each change",
        sets: \.reportsJSON),
      .utc("show", sets: \.isInUTC),
    ]

  static let definition = CommandDefinition<FleetCommand>(
    name: "fleet", summary: "keep the gateways of a fleet and their tokens",
    discussion: """
      ACTION is migrate, add, list, watch, show, revoke or rotate. A fleet is many gateways that send \
      to upload servers with one PostgreSQL database: 'footbridge receive --into postgres://…'.

      migrate makes the tables, or brings them to this release; it may be run at any time and \
      by several at once. add NAME makes a gateway known and prints its token, which is shown \
      only then: the database has a hash of it. A gateway reads and writes its own sessions \
      and no others. rotate NAME prints another token, and the former one is worth nothing \
      from then on. revoke NAME turns it away; its sessions stay.

      watch shows which gateway is where and how it does, until Ctrl-C: with --broker as their \
      messages come, else from the database once a second, where an upload server with \
      --live keeps them. A gateway of which nothing came in time is marked as stale.

      A password belongs into ~/.pgpass or $PGPASSWORD and not into the address: other users \
      of the computer see the arguments of a program.

      Example: footbridge fleet add walker-07 --database postgres://footbridge@db1,db2/walks
      """,
    initial: { environment in
      var command = FleetCommand(database: environment[variable])
      command.usualDatabase = command.database
      return command
    }, options: options,
    operands: [
      .required(.word("ACTION"), sets: \.action),
      .optional(.unchecked("NAME", .text), sets: \.name),
    ])

  /// The variable with the address of the database.
  static let variable = "FOOTBRIDGE_DATABASE"

  func run(_ console: Console) async throws -> ExitStatus {
    if action == .watch { return try await watch(console) }
    let (database, name) = try checked()
    // A migration takes as long as it takes.
    let fleet = try FleetDatabase(database, limit: action == .migrate ? 86_400 : 12)
    let report: FleetText.Report
    switch action {
    case .watch: return .ok
    case .migrate: report = FleetText.migrated(try fleet.migrate())
    case .list:
      try fleet.checkVersion()
      report = FleetText.list(
        try fleet.members(), now: BootClock.systemTime(), adding: command(.add, "NAME"))
    case .show:
      try fleet.checkVersion()
      guard let member = try fleet.members().first(where: { $0.name == name }) else {
        throw complaint(.unknown, name)
      }
      let amount = try member.gateway.map { gateway throws(StoreError) in
        try fleet.amount(of: gateway)
      }
      report = FleetText.member(
        member, amount, now: BootClock.systemTime(), inUTC: isInUTC)
    case .add, .revoke, .rotate:
      try fleet.checkVersion()
      do throws(FleetDatabase.Refusal) {
        report = try change(fleet, name)
      } catch {
        throw complaint(error, name)
      }
    }
    try console.print(reportsJSON ? report.json.text : report.lines.joined(separator: "\n"))
    return .ok
  }

  /// Seconds between two looks at the news.
  private static let watchSeconds = 0.2

  /// Shows the gateways until a signal.
  private func watch(_ console: Console) async throws -> ExitStatus {
    let broker = try broker.checked(asOption: "broker", of: "\(Version.program) fleet")
    let watch = FleetWatch(console)
    let signals = Signals(console)
    if let broker {
      guard name == nil, gateway == nil, !isReader else { throw Self.strayArgument }
      try watch.follow(broker.settings, fleet: broker.fleets[0])
    } else {
      let database = try checked().database
      try FleetDatabase(database).checkVersion()
      try watch.follow(databaseAt: database)
    }
    defer { watch.stop() }
    let output = LiveOutput(on: console)
    let paints = console.isTerminal && !reportsJSON
    while signals.status == .ok {
      let now = BootClock.now()
      let (lines, view) = watch.news(at: now) { fleet, changes in
        (
          paints ? [] : changes.map { text(of: $0, fleet.gateways[$0.gateway], at: now) },
          paints ? LiveText.table(fleet, at: now) : []
        )
      }
      output.take(lines)
      if paints { console.paint(view) }
      if let failure = console.failure { throw failure }
      _ = try? await signals.cancelling { try await Pause.seconds(Self.watchSeconds) }
    }
    console.finishPainting()
    try output.finish()
    return signals.status
  }

  private func text(
    of change: LiveFleet.Change, _ gateway: LiveGateway?, at now: BootTime
  ) -> String {
    guard reportsJSON else { return LiveText.line(change.gateway, gateway, at: now) }
    return (gateway ?? LiveGateway(name: change.gateway))
      .json(gateway == nil ? .gone : change.news, at: now).text
  }

  private static let strayArgument = usage(
    "'watch' with '--broker' takes no name, and no '--gateway' or '--reader'", "leave them out")

  private func change(
    _ fleet: FleetDatabase, _ name: String
  ) throws(FleetDatabase.Refusal) -> FleetText.Report {
    switch action {
    case .add:
      let id = isReader ? nil : gateway ?? .random()
      return FleetText.added(name, id, token: try fleet.add(name, gateway: id))
    case .rotate: return FleetText.rotated(name, token: try fleet.rotate(name))
    default:
      try fleet.revoke(name)
      return FleetText.revoked(name)
    }
  }

  /// The database and the name, when everything that is wrong with the arguments was said.
  private func checked() throws(Complaint) -> (database: String, name: String) {
    guard let database, !database.isEmpty else {
      throw Self.usage(
        "'--database' is missing",
        "name the database, as in '--database postgres://footbridge@db1/walks'")
    }
    guard FleetDatabase.isAddress(database) else {
      throw Self.usage(
        "'\(TerminalText.harmless(database))' is no address of a database",
        "write it as in 'postgres://footbridge@db1,db2,db3/walks'")
    }
    guard action == .watch || broker == BrokerChoice() else {
      throw Self.usage(
        "'--broker' and '--fleet' do not go with '\(action.rawValue)'", "leave them out")
    }
    let wantsName = [.add, .show, .revoke, .rotate].contains(action)
    if !wantsName, let name {
      throw Self.usage("unexpected argument '\(TerminalText.quotation(name))'", "leave it out")
    }
    guard !wantsName || name?.isEmpty == false else {
      throw Self.usage("'NAME' is missing", "write '\(command(action, "NAME"))'")
    }
    if action == .add, let name, !Self.isName(name) {
      throw Self.usage(
        "'\(TerminalText.quotation(name))' is no name for a gateway",
        "give it 1 to 64 letters, digits, dots, hyphens, underscores or single blanks")
    }
    if action != .add, gateway != nil || isReader {
      throw Self.usage(
        "'--gateway' and '--reader' do not go with '\(action.rawValue)'", "leave them out")
    }
    return (database, name ?? "")
  }

  /// Whether people can tell a name from others, on every terminal and in every table.
  private static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && !name.hasPrefix(" ") && !name.hasSuffix(" ")
      && name.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
          || "-_. ".unicodeScalars.contains(scalar)
      }
  }

  private static func usage(_ message: String, _ remedy: String) -> Complaint {
    .usage(message, remedy: remedy, command: "\(Version.program) fleet")
  }

  /// A command for this fleet, as it is typed: it names the database if this one had to.
  private func command(_ action: Action, _ name: String? = nil) -> String {
    let words = ["footbridge", "fleet", action.rawValue] + (name.map { [$0] } ?? [])
    let shown = database == usualDatabase ? nil : database.map(FleetDatabase.shown)
    return ShellText.list(words) + (shown.map { " --database \($0)" } ?? "")
  }

  private func complaint(_ refusal: FleetDatabase.Refusal, _ name: String) -> any Error {
    switch refusal {
    case .failed(let error): return error
    case .unknown:
      return Complaint(
        "the fleet has no member '\(TerminalText.quotation(name))'",
        remedy: "to see them: \(command(.list))")
    case .nameTaken:
      return Complaint(
        "'\(TerminalText.quotation(name))' is in the fleet already",
        remedy: "choose another name, or get another token: \(command(.rotate, name))")
    case .gatewayTaken(let other):
      return Complaint(
        "this gateway is in the fleet already, as '\(TerminalText.quotation(other))'",
        remedy: "get another token: \(command(.rotate, other))")
    }
  }
}
