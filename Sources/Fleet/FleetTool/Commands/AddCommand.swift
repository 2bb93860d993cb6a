internal import CommandLineTool
internal import Fleet
internal import Terminal
internal import Values

/// `footbridge-fleet add`: adds a gateway or a reader, and prints its token.
struct AddCommand: Verb {
  var database: DatabaseChoice
  var name = ""
  var gateway: UniqueID?
  var isReader = false
  var reportsJSON = false

  static let definition = CommandDefinition<AddCommand>(
    name: "add", summary: "add a gateway or a reader",
    discussion: """
      Adds a gateway and prints its token, which is shown only once: the database stores a hash of \
      it. A gateway reads and writes only its own sessions. If a gateway has sent data before, use \
      --gateway to keep its permanent id, which 'footbridge definitions show' prints on the gateway.

      Example: footbridge-fleet add walker-07 --database postgres://footbridge@db1,db2/walks
      """,
    initial: { AddCommand(database: DatabaseChoice(environment: $0)) },
    options: DatabaseChoice.options.map { $0.lifted(into: \.database) } + [
      .option(
        "gateway", .uniqueID("ID"), excludes: ["reader"],
        help: "the permanent id of the gateway (default: a new id)", sets: \.gateway),
      .flag(
        "reader", help: "create a read-only token for all sessions", sets: \.isReader),
      .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON),
    ],
    operands: [.required(.filledText("NAME"), sets: \.name)])

  func run(_ console: Console) async throws -> ExitStatus {
    guard Self.isName(name) else {
      throw FleetProgram.usage(
        "add", "'\(TerminalText.quotation(name))' is not a valid gateway name",
        "use 1 to 64 letters, digits, dots, hyphens, underscores or single spaces; it cannot "
          + "begin with a hyphen")
    }
    let fleet = try database.opened(by: "add")
    let id = isReader ? nil : gateway ?? .random()
    let token = try database.changing(name) { () throws(FleetDatabase.Refusal) in
      try fleet.add(name, gateway: id)
    }
    return try console.print(FleetText.added(name, id, token: token), asJSON: reportsJSON)
  }

  /// Whether a name has 1 to 64 bytes and consists of letters, digits, `-`, `_`, `.` and spaces.
  /// The name must not begin or end with a space, or begin with `-`.
  private static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && !name.hasPrefix(" ") && !name.hasSuffix(" ")
      && !name.hasPrefix("-")
      && name.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
          || "-_. ".unicodeScalars.contains(scalar)
      }
  }
}
