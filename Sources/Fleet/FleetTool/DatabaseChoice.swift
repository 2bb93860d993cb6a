internal import Fleet
internal import Terminal
internal import Values

/// The database of a fleet, as options name it.
struct DatabaseChoice: Hashable, Sendable {
  /// The address.
  var address: String?
  /// The address that is used without an option.
  private let usual: String?

  /// The variable with the address.
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

  /// The address, when everything that is wrong with it was said.
  func checked(by command: String) throws(Complaint) -> String {
    guard let address, !address.isEmpty else {
      throw FleetProgram.usage(
        command, "'--database' is missing",
        "name the database, as in '--database postgres://footbridge@db1/walks'")
    }
    guard FleetDatabase.isAddress(address) else {
      throw FleetProgram.usage(
        command, "'\(TerminalText.harmless(address))' is no address of a database",
        "write it as in 'postgres://footbridge@db1,db2,db3/walks'")
    }
    return address
  }

  /// The database, with the tables of this release.
  func opened(by command: String) throws -> FleetDatabase {
    let database = try FleetDatabase(checked(by: command))
    try database.checkVersion()
    return database
  }

  /// A command for this fleet, as it is typed: it names the database if this one had to.
  func command(_ name: String, _ member: String? = nil) -> String {
    let words = [FleetProgram.name, name] + (member.map { [$0] } ?? [])
    let shown = address == usual ? nil : address.map(FleetDatabase.shown)
    return ShellText.list(words) + (shown.map { " --database \($0)" } ?? "")
  }

  /// Changes something of a member.
  func changing<Result>(
    _ member: String, _ body: () throws(FleetDatabase.Refusal) -> Result
  ) throws -> Result {
    do throws(FleetDatabase.Refusal) {
      return try body()
    } catch {
      throw explain(error, member)
    }
  }

  /// Why something cannot be done with a member.
  func explain(_ refusal: FleetDatabase.Refusal, _ member: String) -> any Error {
    switch refusal {
    case .failed(let error): return error
    case .unknown:
      return Complaint(
        "the fleet has no member '\(TerminalText.quotation(member))'",
        remedy: "to see them: \(command("list"))")
    case .nameTaken:
      return Complaint(
        "'\(TerminalText.quotation(member))' is in the fleet already",
        remedy: "choose another name, or get another token: \(command("rotate", member))")
    case .gatewayTaken(let other):
      return Complaint(
        "this gateway is in the fleet already, as '\(TerminalText.quotation(other))'",
        remedy: "get another token: \(command("rotate", other))")
    }
  }
}

extension FleetProgram {
  /// The complaint about a command line.
  static func usage(_ command: String, _ message: String, _ remedy: String) -> Complaint {
    .usage(message, remedy: remedy, command: "\(name) \(command)")
  }
}
