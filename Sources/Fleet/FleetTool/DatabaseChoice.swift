internal import Fleet
internal import Terminal
internal import Values

/// A fleet's database, as specified by the options or the environment.
struct DatabaseChoice: Hashable, Sendable {
  var address: String?
  /// The address that is used if the option `--database` is missing.
  private let usual: String?

  /// The environment variable that contains the address.
  static let variable = "FOOTBRIDGE_DATABASE"

  init(environment: [String: String]) {
    usual = environment[Self.variable]
    address = usual
  }

  static let options: [Option<DatabaseChoice>] = [
    .option(
      "database", .filledText("ADDRESS"),
      help: "the database, as in postgres://user@host/walks (default: $\(variable))",
      sets: \.address)
  ]

  /// Returns the address, or throws a usage error if it is missing or invalid.
  func checked(by command: String) throws(Complaint) -> String {
    guard let address, !address.isEmpty else {
      throw FleetProgram.usage(
        command, "'--database' is missing",
        "specify the database, as in '--database postgres://footbridge@db1/walks'")
    }
    guard FleetDatabase.isAddress(address) else {
      throw FleetProgram.usage(
        command, "'\(TerminalText.harmless(address))' is not a database address",
        "use the form 'postgres://footbridge@db1,db2,db3/walks'")
    }
    return address
  }

  /// Opens the database and checks that its tables have the version that this release requires.
  func opened(by command: String) throws -> FleetDatabase {
    let database = try FleetDatabase(checked(by: command))
    try database.checkVersion()
    return database
  }

  /// Returns a command for this fleet as the user would type it. The command includes `--database`
  /// if the current command needed that option.
  func command(_ name: String, _ member: String? = nil) -> String {
    let words = [FleetProgram.name, name] + (member.map { [$0] } ?? [])
    let shown = address == usual ? nil : address.map(FleetDatabase.shown)
    return ShellText.list(words) + (shown.map { " --database \($0)" } ?? "")
  }

  func changing<Result>(
    _ member: String, _ body: () throws(FleetDatabase.Refusal) -> Result
  ) throws -> Result {
    do throws(FleetDatabase.Refusal) {
      return try body()
    } catch {
      throw explain(error, member)
    }
  }

  func explain(_ refusal: FleetDatabase.Refusal, _ member: String) -> any Error {
    switch refusal {
    case .failed(let error): return error
    case .unknown:
      return Complaint(
        "the fleet has no member '\(TerminalText.quotation(member))'",
        remedy: "list the members: \(command("list"))")
    case .nameTaken:
      return Complaint(
        "'\(TerminalText.quotation(member))' is already in the fleet",
        remedy: "choose another name, or get a new token: \(command("rotate", member))")
    case .gatewayTaken(let other):
      return Complaint(
        "this gateway is already in the fleet, as '\(TerminalText.quotation(other))'",
        remedy: "get a new token: \(command("rotate", other))")
    }
  }
}

extension FleetProgram {
  static func usage(_ command: String, _ message: String, _ remedy: String) -> Complaint {
    .usage(message, remedy: remedy, command: "\(name) \(command)")
  }
}
