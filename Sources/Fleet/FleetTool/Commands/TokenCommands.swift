internal import Fleet
internal import Terminal

/// `footbridge-fleet rotate`: another token in place of the former one.
struct RotateCommand: Verb {
  var database: DatabaseChoice
  /// The name of the gateway or reader.
  var name = ""
  var reportsJSON = false

  static let definition = CommandDefinition<RotateCommand>(
    name: "rotate", summary: "give a gateway another token",
    discussion: """
      Prints another token for NAME, which is shown only then. The former one is worth nothing from \
      then on.
      """,
    initial: { RotateCommand(database: DatabaseChoice(environment: $0)) },
    options: DatabaseChoice.options.map { $0.lifted(into: \.database) } + [
      .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON)
    ],
    operands: [.required(.filledText("NAME"), sets: \.name)])

  func run(_ console: Console) async throws -> ExitStatus {
    let fleet = try database.opened(by: "rotate")
    let token = try database.changing(name) { () throws(FleetDatabase.Refusal) in
      try fleet.rotate(name)
    }
    return try console.print(FleetText.rotated(name, token: token), asJSON: reportsJSON)
  }
}

/// `footbridge-fleet revoke`: a token that is turned away from now on.
struct RevokeCommand: Verb {
  var database: DatabaseChoice
  /// The name of the gateway or reader.
  var name = ""
  var reportsJSON = false

  static let definition = CommandDefinition<RevokeCommand>(
    name: "revoke", summary: "turn a gateway away",
    discussion: "Turns NAME away from now on. Its sessions stay.",
    initial: { RevokeCommand(database: DatabaseChoice(environment: $0)) },
    options: DatabaseChoice.options.map { $0.lifted(into: \.database) } + [
      .flag("json", help: "print the outcome as JSON", sets: \.reportsJSON)
    ],
    operands: [.required(.filledText("NAME"), sets: \.name)])

  func run(_ console: Console) async throws -> ExitStatus {
    let fleet = try database.opened(by: "revoke")
    try database.changing(name) { () throws(FleetDatabase.Refusal) in try fleet.revoke(name) }
    return try console.print(FleetText.revoked(name), asJSON: reportsJSON)
  }
}
