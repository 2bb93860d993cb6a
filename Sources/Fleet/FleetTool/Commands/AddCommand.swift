internal import CommandLineTool
internal import Fleet
internal import Terminal
internal import Values

/// `footbridge-fleet add`: a gateway or a reader, with its token.
struct AddCommand: Verb {
  var database: DatabaseChoice
  /// The name of the gateway or reader.
  var name = ""
  /// The permanent name of the gateway.
  var gateway: UniqueID?
  /// Whether it only reads.
  var isReader = false
  var reportsJSON = false

  static let definition = CommandDefinition<AddCommand>(
    name: "add", summary: "make a gateway or a reader known",
    discussion: """
      Makes a gateway known and prints its token, which is shown only then: the database has a \
      hash of it. A gateway reads and writes its own sessions and no others. One that has \
      sent before keeps its permanent name with --gateway: 'footbridge definitions show' tells it there.

      Example: footbridge-fleet add walker-07 --database postgres://footbridge@db1,db2/walks
      """,
    initial: { AddCommand(database: DatabaseChoice(environment: $0)) },
    options: DatabaseChoice.options.map { $0.lifted(into: \.database) } + [
      .option(
        "gateway", .uniqueID("ID"), excludes: ["reader"],
        help: "the permanent name of the gateway (default: a new one)", sets: \.gateway),
      .flag(
        "reader", help: "a token that reads all sessions and sends none", sets: \.isReader),
      .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON),
    ],
    operands: [.required(.filledText("NAME"), sets: \.name)])

  func run(_ console: Console) async throws -> ExitStatus {
    guard Self.isName(name) else {
      throw FleetProgram.usage(
        "add", "'\(TerminalText.quotation(name))' is no name for a gateway",
        "give it 1 to 64 letters, digits, dots, hyphens, underscores or single blanks; it cannot "
          + "begin with a hyphen")
    }
    let fleet = try database.opened(by: "add")
    let id = isReader ? nil : gateway ?? .random()
    let token = try database.changing(name) { () throws(FleetDatabase.Refusal) in
      try fleet.add(name, gateway: id)
    }
    return try console.print(FleetText.added(name, id, token: token), asJSON: reportsJSON)
  }

  /// Whether people can tell a name from others, on every terminal and in every table.
  private static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && !name.hasPrefix(" ") && !name.hasSuffix(" ")
      && !name.hasPrefix("-")
      && name.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
          || "-_. ".unicodeScalars.contains(scalar)
      }
  }
}
